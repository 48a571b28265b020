// Writes docs/configuration.md and docs/injection.md from their templates and the tables that the code uses.
//
//   generate_configuration TEMPLATE PAGE            writes the page
//   generate_configuration --check TEMPLATE PAGE    exit status 1 when the page is not what would be written
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/configuration.h"
#include "forebay/base/injection.h"

namespace {

bool ReadFile(const char* path, std::string* text) {
  std::ifstream file(path, std::ios::binary);
  text->assign(std::istreambuf_iterator<char>(file), {});
  return file.good() || file.eof();
}

std::string InCode(const std::string& text) { return text.empty() ? "(empty)" : "`" + text + "`"; }

// The allowed values, with what would end a table's cell replaced.
std::string Allowed(const forebay::base::ParameterRow& row) {
  if (row.range.empty()) return "any text";
  std::string choices = InCode(row.range);
  for (std::size_t at = 0; (at = choices.find('|', at)) != std::string::npos; at += 3) choices.replace(at, 1, "`, `");
  const std::size_t dots = choices.find("..");
  return dots == std::string::npos ? choices : choices.replace(dots, 2, "` to `");
}

std::string ParameterRows() {
  std::string table = "| parameter | variable | default | allowed | unit | meaning |\n|---|---|---|---|---|---|\n";
  for (const forebay::base::ParameterRow& row : forebay::base::ParameterTable()) {
    std::string variable = "FOREBAY_" + row.name;
    std::transform(variable.begin(), variable.end(), variable.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    table += "| " + InCode(row.name) + " | " + InCode(variable) + " | " + InCode(row.default_value) + " | " +
             Allowed(row) + " | " + row.unit + " | " + row.meaning + " |\n";
  }
  return table;
}

// Those of the places from the first to the last one.
std::string InjectionRows(forebay::base::InjectionPlace first, forebay::base::InjectionPlace last) {
  std::string table = "| kind | the program gets | keys | what happens |\n|---|---|---|---|\n";
  for (const forebay::base::InjectionRow& row : forebay::base::InjectionTable()) {
    if (row.place < first || row.place > last) continue;
    std::string keys;
    for (const std::string_view key : forebay::base::InjectionKeys(row.kind))
      keys += (keys.empty() ? "`" : ", `") + std::string(key) + "`";
    const std::string code = row.kind == forebay::base::InjectionKind::kApiError ? "`code`"
                             : row.code == forebay::Code::kSuccess               ? "no failure"
                                                                   : std::to_string(static_cast<int>(row.code)) + " `" +
                                                                         std::string(forebay::CodeName(row.code)) + "`";
    table += "| `" + std::string(row.name) + "` | " + code + " | " + keys + " | " + std::string(row.meaning) + " |\n";
  }
  return table;
}

struct Table {
  const char* place;  // the line of the template that it stands for
  std::string rows;
};

std::vector<Table> Tables() {
  using forebay::base::InjectionPlace;
  return {{"@PARAMETERS@\n", ParameterRows()},
          {"@INJECTIONS_OF_TASKS@\n", InjectionRows(InjectionPlace::kKernel, InjectionPlace::kDoorbell)},
          {"@INJECTIONS_OF_DEVICES@\n", InjectionRows(InjectionPlace::kDevice, InjectionPlace::kDevice)},
          {"@INJECTIONS_OF_HOST@\n", InjectionRows(InjectionPlace::kCall, InjectionPlace::kRequest)}};
}

}  // namespace

int main(int argument_count, char** arguments) {
  const bool check = argument_count > 1 && std::strcmp(arguments[1], "--check") == 0;
  if (argument_count != (check ? 4 : 3)) {
    std::fprintf(stderr, "usage: generate_configuration [--check] TEMPLATE PAGE\n");
    return 2;
  }
  const char* template_path = arguments[argument_count - 2];
  const char* page_path = arguments[argument_count - 1];
  std::string page;
  if (!ReadFile(template_path, &page)) {
    std::fprintf(stderr, "generate_configuration: %s cannot be read\n", template_path);
    return 2;
  }
  bool has_table = false;
  for (const Table& table : Tables()) {
    const std::size_t at = page.find(table.place);
    if (at == std::string::npos) continue;
    page.replace(at, std::strlen(table.place), table.rows);
    has_table = true;
  }
  if (!has_table) {
    std::fprintf(stderr, "generate_configuration: %s has no line for a table\n", template_path);
    return 2;
  }
  if (check) {
    std::string present;
    if (ReadFile(page_path, &present) && present == page) return 0;
    std::fprintf(stderr, "%s is not what the tables of the code give; build the target update_configuration\n",
                 page_path);
    return 1;
  }
  std::ofstream file(page_path, std::ios::binary | std::ios::trunc);
  file << page;
  file.close();
  if (!file) {
    std::fprintf(stderr, "generate_configuration: %s cannot be written\n", page_path);
    return 2;
  }
  return 0;
}

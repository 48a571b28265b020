#include "memory/pool/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unordered_map>

#include "memory/pool/ordering.h"

namespace forebay::runtime {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// Takes the first word off a line.
std::string_view TakeWord(std::string_view* line) {
  line->remove_prefix(std::min(line->find_first_not_of(kBlanks), line->size()));
  const std::string_view word = line->substr(0, line->find_first_of(kBlanks));
  line->remove_prefix(word.size());
  return word;
}

// What an operand of a line is.
struct Operand {
  std::string_view name;
  uint64_t limit;  // the first number that is too large
  bool may_be_host = false;
};

constexpr Operand kId = {"ID", kMostTraceIds};
constexpr Operand kStream = {"STREAM", kMostTraceStreams};
constexpr Operand kAnyStream = {"STREAM", kMostTraceStreams, true};
constexpr Operand kBytes = {"BYTES", uint64_t{1} << 62};

struct Form {
  char operation;
  std::array<Operand, 3> operands;
  std::size_t count;
};

constexpr std::array<Form, 5> kForms = {{{'a', {kId, kBytes, kAnyStream}, 3},
                                         {'f', {kId, kAnyStream}, 2},
                                         {'e', {{{"FROM", kMostTraceStreams}, {"TO", kMostTraceStreams}}}, 2},
                                         {'y', {kStream}, 1},
                                         {'i', {}, 0}}};

class Parser {
 public:
  Parser(std::string_view text, std::string name) : text_(text) { trace_.name = std::move(name); }

  Result<Trace> Run() {
    while (!text_.empty()) {
      ++number_;
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      line_ = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      const std::string mistake = ParseLine(line_);
      if (!mistake.empty()) {
        constexpr std::size_t kShown = 60;
        return Status(Code::kParseFile,
                      fmt::format("{}:{}: {} (\"{}\")", trace_.name, number_, mistake,
                                  line_.substr(0, std::min(line_.size(), kShown))),
                      "Each line is one of: a ID BYTES STREAM, f ID STREAM, e FROM TO, y STREAM, i, # comment.");
      }
    }
    CountTrace(&trace_);
    return std::move(trace_);
  }

 private:
  // What is wrong with the line; nothing when it is right.
  std::string ParseLine(std::string_view line) {
    if (line.starts_with('#')) {
      if (!trace_.events.empty()) return "";
      line.remove_prefix(1);
      line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
      trace_.note.append(line).append("\n");
      return "";
    }
    const std::string_view word = TakeWord(&line);
    if (word.empty()) return "";
    const auto form = std::find_if(kForms.begin(), kForms.end(),
                                   [&](const Form& known) { return word == std::string_view(&known.operation, 1); });
    if (form == kForms.end()) return fmt::format("there is no operation \"{}\"", word.substr(0, 20));
    std::array<uint64_t, 3> values{};
    for (std::size_t i = 0; i < form->count; ++i) {
      std::string mistake = ParseOperand(form->operands[i], TakeWord(&line), &values[i]);
      if (!mistake.empty()) return mistake;
    }
    if (!TakeWord(&line).empty()) return fmt::format("more than the {} operands of \"{}\"", form->count, word);
    return Add(static_cast<TraceOperation>(form->operation), values);
  }

  static std::string ParseOperand(const Operand& operand, std::string_view word, uint64_t* value) {
    if (word.empty()) return fmt::format("{} is missing", operand.name);
    if (operand.may_be_host && word == "-") {
      *value = kNoStream;
      return "";
    }
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *value);
    const bool too_large = error == std::errc::result_out_of_range;
    if (!too_large && (error != std::errc() || end != word.data() + word.size()))
      return fmt::format("{} \"{}\" is no number", operand.name, word.substr(0, 20));
    if (too_large || *value >= operand.limit)
      return fmt::format("{} {} is too large, the limit is {}", operand.name, word.substr(0, 24), operand.limit - 1);
    return "";
  }

  std::string Add(TraceOperation operation, const std::array<uint64_t, 3>& values) {
    const auto value = [&](std::size_t i) { return static_cast<uint32_t>(values[i]); };
    TraceEvent event{operation, 0, 0, 0};
    switch (operation) {
      case TraceOperation::kAllocate: {
        event = {operation, value(0), value(2), values[1]};
        const auto [line, is_new] = live_.try_emplace(event.id, number_);
        if (!is_new) return fmt::format("block {} is live, it was allocated in line {}", event.id, line->second);
        break;
      }
      case TraceOperation::kFree:
        event = {operation, value(0), value(1), 0};
        if (live_.erase(event.id) == 0) return fmt::format("block {} is not live", event.id);
        break;
      case TraceOperation::kWait: event = {operation, value(0), value(1), 0}; break;
      case TraceOperation::kSynchronise: event = {operation, 0, value(0), 0}; break;
      case TraceOperation::kStep: break;
    }
    trace_.events.push_back(event);
    return "";
  }

  std::string_view text_;
  std::string_view line_;
  std::size_t number_ = 0;
  std::unordered_map<uint32_t, std::size_t> live_;  // id -> line of its allocation
  Trace trace_;
};

}  // namespace

Result<Trace> ParseTrace(std::string_view text, std::string name) { return Parser(text, std::move(name)).Run(); }

Result<Trace> ReadTrace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (file.read(buffer.data(), buffer.size()) || file.gcount() > 0)
    text.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
  if (!file.is_open() || file.bad()) {
    return Status(Code::kInvalidFile, fmt::format("the trace {} cannot be read", path),
                  "Name a file that a pool's history was written to.");
  }
  Result<Trace> trace = ParseTrace(text, path);
  if (!trace.ok()) return trace;
  std::string& name = trace->name;
  name.erase(0, name.find_last_of('/') + 1);
  if (constexpr std::string_view kEnding = ".trace"; name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
  return trace;
}

void AppendTraceEvent(const TraceEvent& event, std::string* text) {
  const auto out = std::back_inserter(*text);
  const std::string stream = event.stream == kNoStream ? "-" : std::to_string(event.stream);
  switch (event.operation) {
    case TraceOperation::kAllocate: fmt::format_to(out, "a {} {} {}\n", event.id, event.bytes, stream); break;
    case TraceOperation::kFree: fmt::format_to(out, "f {} {}\n", event.id, stream); break;
    case TraceOperation::kWait: fmt::format_to(out, "e {} {}\n", event.id, stream); break;
    case TraceOperation::kSynchronise: fmt::format_to(out, "y {}\n", stream); break;
    case TraceOperation::kStep: text->append("i\n"); break;
  }
}

std::string WriteTrace(const Trace& trace) {
  std::string text;
  std::istringstream note(trace.note);
  for (std::string line; std::getline(note, line);) text += "# " + line + "\n";
  for (const TraceEvent& event : trace.events) AppendTraceEvent(event, &text);
  return text;
}

void CountTrace(Trace* trace) {
  trace->ids = 0;
  trace->streams = 0;
  trace->peak_bytes = 0;
  uint64_t live = 0;
  std::unordered_map<uint32_t, uint64_t> bytes;
  for (const TraceEvent& event : trace->events) {
    if (event.stream != kNoStream && event.operation != TraceOperation::kStep)
      trace->streams = std::max(trace->streams, event.stream + 1);
    switch (event.operation) {
      case TraceOperation::kAllocate:
        trace->ids = std::max(trace->ids, event.id + 1);
        bytes[event.id] = event.bytes;
        live += event.bytes;
        trace->peak_bytes = std::max(trace->peak_bytes, live);
        break;
      case TraceOperation::kFree: live -= bytes[event.id]; break;
      case TraceOperation::kWait: trace->streams = std::max(trace->streams, event.id + 1); break;
      case TraceOperation::kSynchronise:
      case TraceOperation::kStep: break;
    }
  }
}

}  // namespace forebay::runtime

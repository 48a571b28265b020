# What set_env.sh does, under the name that it has in bin.
source "$(dirname "${BASH_SOURCE[0]}")/../set_env.sh"

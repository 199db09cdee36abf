// Completion of command lines in shells.
#include "tools/stretto/completion.h"

#include "tools/stretto/error.h"

namespace stretto::tools {

// @COMMANDS@ stands for the names of the commands.
static constexpr const char *bash = R"sh(_stretto() {
  local word=${COMP_WORDS[COMP_CWORD]}
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W '@COMMANDS@' -- "$word"))
  elif [[ $word == -* ]]; then
    local options=$(stretto help "${COMP_WORDS[1]}" 2>/dev/null | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u)
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _stretto stretto
)sh";

static constexpr const char *zsh = R"sh(#compdef stretto
_stretto() {
  if (( CURRENT == 2 )); then
    compadd -- @COMMANDS@
  elif [[ $words[CURRENT] == -* ]]; then
    compadd -- $(stretto help $words[2] 2>/dev/null | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u)
  else
    _files
  fi
}
compdef _stretto stretto
)sh";

static constexpr const char *fish = R"sh(complete -c stretto -n __fish_use_subcommand -f -a '@COMMANDS@'
complete -c stretto -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a \
  '(stretto help (commandline -opc)[2] 2>/dev/null | string match -rag -- "(--[a-z][a-z0-9-]*)" | sort -u)'
)sh";

std::string completionScript(const std::string &shell, std::span<const std::string> commands) {
  std::string script = shell == "bash" ? bash : shell == "zsh" ? zsh : shell == "fish" ? fish : "";
  if (script.empty())
    throw CommandError("the shell must be bash, zsh or fish, but got '" + shell + "'", 2);
  std::string names;
  for (const std::string &command : commands)
    names += (names.empty() ? "" : " ") + command;
  const std::string place = "@COMMANDS@";
  return script.replace(script.find(place), place.size(), names);
}

} // namespace stretto::tools

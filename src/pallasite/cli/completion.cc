// Completion for shells, made of the table of verbs.
#include <fmt/format.h>

#include <ostream>
#include <sstream>

#include "pallasite/api/op_docs.h"
#include "pallasite/cli/cli.h"
#include "pallasite/cli/verbs.h"
#include "pallasite/diag/catalogue.h"

namespace pallasite {

namespace {

std::string joined(std::span<const std::string_view> words) {
  std::string text;
  for (std::string_view word : words) text += (text.empty() ? "" : " ") + std::string(word);
  return text;
}

std::string codes() {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < kKindCount; ++i) names.push_back(code_of(kind_at(i)));
  return joined(names);
}

std::string op_names() {
  std::vector<std::string_view> names;
  for (const OpDef* def : all_ops()) names.push_back(def->name);
  return joined(names);
}

// What the operand may be; empty where it is a file.
std::string operand_words(const VerbSpec& verb) {
  switch (verb.operand) {
    case VerbOperand::Code:
      return codes();
    case VerbOperand::Op:
      return op_names();
    case VerbOperand::Shell:
      return "bash zsh";
    default:
      return "";
  }
}

bool operand_is_file(const VerbSpec& verb) {
  return verb.operand == VerbOperand::Target || verb.operand == VerbOperand::KernelFile ||
         verb.operand == VerbOperand::ScheduleAndKernel;
}

// In single quotes of zsh's _arguments, whose brackets and colons mean something.
std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_argument(const OptionSpec& option) {
  if (option.kind == ValueKind::Flag) {
    return fmt::format("'{}[{}]'", option.name, escaped(option.help));
  }
  const std::string repeat = option.kind == ValueKind::NamedFile ? "*" : "";
  std::string action;
  if (!option.choices.empty()) {
    action = fmt::format("({})", option.choices);
  } else if (option.kind == ValueKind::File) {
    action = "_files";
  } else if (option.kind == ValueKind::NamedFile) {
    action = "{compset -P \"*=\" && _files}";
  }
  return fmt::format("'{}{}=[{}]:{}:{}'", repeat, option.name, escaped(option.help),
                     escaped(option.value.empty() ? option.name.substr(2) : option.value), action);
}

}  // namespace

std::string completion_for_bash() {
  std::string verbs, cases, values;
  for (const VerbSpec& verb : all_verbs()) {
    verbs += (verbs.empty() ? "" : " ") + std::string(verb.name);
    std::vector<std::string_view> names = verb.options;
    std::vector<std::string_view> with_value;
    names.push_back("--help");
    if (verb.takes_program()) names.push_back("-m");
    for (std::string_view name : verb.options) {
      const OptionSpec& option = option_spec(verb, name);
      if (option.kind == ValueKind::Flag) continue;
      with_value.push_back(name);
      // What is not listed here offers nothing.
      if (!option.choices.empty()) {
        values += fmt::format("      {}:{}) _pallasite_offer -W \"{}\" ;;\n", verb.name, name,
                              option.choices);
      } else if (option.kind == ValueKind::File) {
        values += fmt::format("      {}:{}) _pallasite_offer -f ;;\n", verb.name, name);
      }
    }
    cases += fmt::format(
        "    {})\n      options=\"{}\"\n      with_value=\" {} \"\n      operand=({})\n"
        "      takes_program={}\n      ;;\n",
        verb.name, joined(names), joined(with_value),
        operand_is_file(verb) ? "-f" : fmt::format("-W \"{}\"", operand_words(verb)),
        verb.takes_program() ? 1 : 0);
  }
  return fmt::format(R"(# Completion of pallasite for bash: source <(pallasite completion bash)
_pallasite_offer() {{
  # One a line: names of files may have spaces.
  mapfile -t COMPREPLY < <(compgen "$@" -- "$word")
}}
_pallasite() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} verb=${{COMP_WORDS[1]}}
  local options= with_value= takes_program=0 option= i
  local -a operand=(-W "")
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _pallasite_offer -W "{} --help --version"
    return
  fi
  case $verb in
{}  esac
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ $with_value == *" ${{COMP_WORDS[i]}} "* ]]; then
      option=${{COMP_WORDS[i]}}
      # bash takes `--option=value` for three words.
      [[ ${{COMP_WORDS[i + 1]}} == "=" ]] && ((i++))
      ((++i >= COMP_CWORD)) && break
      # And `NAME=FILE` too.
      [[ ${{COMP_WORDS[i + 1]}} == "=" ]] && ((i += 2))
      ((i >= COMP_CWORD)) && break
      option=
    elif ((takes_program)) && [[ ${{COMP_WORDS[i]}} == -m ]]; then
      # The module's name; what follows is its own.
      ((i + 1 < COMP_CWORD)) && _pallasite_offer -f
      return
    elif ((takes_program)) && [[ ${{COMP_WORDS[i]}} != -* && ${{COMP_WORDS[i]}} != *.pir ]]; then
      # What follows the program is its own.
      _pallasite_offer -f
      return
    fi
  done
  if [[ -n $option ]]; then
    if [[ $word == "=" ]]; then
      word=
    fi
    case $verb:$option in
{}      *:--arg | *:--out)
        if [[ ${{COMP_WORDS[COMP_CWORD]}} == "=" || ${{COMP_WORDS[COMP_CWORD - 1]}} == "=" ]]; then
          _pallasite_offer -f
        fi
        ;;
    esac
  elif [[ $word == -* ]]; then
    _pallasite_offer -W "$options"
  else
    _pallasite_offer "${{operand[@]}}"
  fi
}}
complete -o filenames -F _pallasite pallasite
)",
                     verbs, cases, values);
}

std::string completion_for_zsh() {
  std::string verbs, cases;
  for (const VerbSpec& verb : all_verbs()) {
    verbs += fmt::format("    '{}:{}'\n", verb.name, escaped(verb.summary));
    cases += fmt::format("    {})\n      _arguments", verb.name);
    // What follows a program is its own; options may follow a kernel.
    if (verb.takes_program()) cases += " -A '(-*|*.pir)'";
    for (std::string_view name : verb.options) {
      cases += " \\\n        " + zsh_argument(option_spec(verb, name));
    }
    if (verb.takes_program()) cases += " \\\n        '(-)-m[run a module]:module:'";
    cases += " \\\n        '--help[options and examples]'";
    if (operand_is_file(verb)) {
      cases += " \\\n        '*:file:_files'";
    } else if (const std::string words = operand_words(verb); !words.empty()) {
      cases += fmt::format(" \\\n        '1:name:({})'", words);
    }
    cases += "\n      ;;\n";
  }
  return fmt::format(R"(#compdef pallasite
# Completion of pallasite for zsh: put this into a folder of $fpath as _pallasite, or source it.
_pallasite() {{
  local -a verbs flags
  verbs=(
{}  )
  flags=('--help:the verbs' '--version:of pallasite')
  if (( CURRENT == 2 )); then
    _describe 'verb' verbs
    _describe -o 'option' flags
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
{}  esac
}}
if [[ ${{funcstack[1]}} == _pallasite ]]; then
  _pallasite "$@"
else
  compdef _pallasite pallasite
fi
)",
                     verbs, cases);
}

int completion_verb(const std::string& shell, const CliEnvironment& environment) {
  if (shell != "bash" && shell != "zsh") {
    environment.err << "pallasite: completion is there for bash and zsh, not for " << shell << "\n";
    return kUsageError;
  }
  environment.out << (shell == "bash" ? completion_for_bash() : completion_for_zsh());
  return 0;
}

}  // namespace pallasite

package driver

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/stalevalue"
)

var completionCases = []struct {
	words []string // after the name of the command
	want  []string // among what is proposed
	not   string
}{
	{[]string{"ex"}, []string{"explain"}, "help"},
	{[]string{"-js"}, []string{"-json"}, "-fix"},
	{[]string{"-sa"}, []string{"-sarif="}, "-json"},
	{[]string{"help", "st"}, []string{"stalevalue"}, "explain"},
	{[]string{"explain", "stalevalue/c"}, []string{"stalevalue/check-then-act"}, "stalevalue/lost-update"},
	{[]string{"completion", ""}, []string{"bash", "fish", "zsh"}, "explain"},
	{[]string{"gopls", "-v"}, []string{"-version="}, "-json"},
	{[]string{"-json", "./"}, []string{"./..."}, "explain"},
}

// TestCompletion: bash, zsh and fish complete command lines with the scripts. Those shells that
// the machine does not have are left out, but bash is on each.
func TestCompletion(t *testing.T) {
	for _, shell := range []struct {
		name     string
		complete func(t *testing.T, script string, words []string) []string
	}{
		{"bash", inBash}, {"zsh", inZsh}, {"fish", inFish},
	} {
		t.Run(shell.name, func(t *testing.T) {
			if _, err := exec.LookPath(shell.name); err != nil && shell.name != "bash" {
				t.Skip(err)
			}
			var script bytes.Buffer
			if code := completion(&script, []*analysis.Analyzer{stalevalue.Analyzer}, []string{shell.name}); code != exitClean {
				t.Fatalf("exit code %d", code)
			}
			file := filepath.Join(t.TempDir(), "atomvet")
			if err := os.WriteFile(file, script.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, test := range completionCases {
				got := shell.complete(t, file, test.words)
				for _, want := range test.want {
					if shell.name == "fish" {
						want = strings.TrimSuffix(want, "=") // there, the value is a word of its own
					}
					if !slices.Contains(got, want) {
						t.Errorf("%q: %q is not among %q", test.words, want, got)
					}
				}
				if slices.Contains(got, test.not) {
					t.Errorf("%q: %q is among %q", test.words, test.not, got)
				}
			}
		})
	}
	if code := completion(os.Stdout, nil, []string{"csh"}); code != exitFailure {
		t.Errorf("csh: exit code %d", code)
	}
}

// TestCompletionValues: to bash the equals sign is a word.
func TestCompletionValues(t *testing.T) {
	var script bytes.Buffer
	completion(&script, []*analysis.Analyzer{stalevalue.Analyzer}, []string{"bash"})
	file := filepath.Join(t.TempDir(), "atomvet")
	if err := os.WriteFile(file, script.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ words, want []string }{
		{[]string{"-stalevalue.confidence", "=", "me"}, []string{"medium"}},
		{[]string{"-confidence", "="}, []string{"high", "medium", "low"}},
		{[]string{"-sarif", "=", filepath.Dir(file) + "/at"}, []string{file}},
	} {
		if got := inBash(t, file, test.words); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.words, got, test.want)
		}
	}
}

// shellLines runs a shell and returns the lines that it prints.
func shellLines(t *testing.T, name string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "TERM=dumb")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || strings.Contains(stderr.String(), "atomvet") {
		t.Errorf("%s: %v\n%s", name, err, stderr.Bytes())
	}
	var lines []string
	for line := range strings.Lines(string(out)) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), "\t") // fish has descriptions
		lines = append(lines, word)
	}
	return lines
}

func inBash(t *testing.T, script string, words []string) []string {
	const run = `source "$1"; shift; COMP_WORDS=(atomvet "$@"); COMP_CWORD=$#
compopt() { :; } # only works in a completion
_atomvet; printf '%s\n' "${COMPREPLY[@]}"`
	return shellLines(t, "bash", append([]string{"--norc", "-c", run, "bash", script}, words...)...)
}

// inZsh calls the function with the builtins of the completion system replaced.
func inZsh(t *testing.T, script string, words []string) []string {
	const run = `compdef() { : }
compset() { : }
_files() { : }
compadd() {
	local suffix=
	while [[ $1 == -* && $1 != -- ]]; do [[ $1 == -S ]] && shift; shift; done
	shift
	for word; do [[ $word == ${words[CURRENT]}* ]] && print -r -- $word; done
	return 0
}
source "$1"; shift; words=(atomvet "$@"); CURRENT=$#words; _atomvet`
	return shellLines(t, "zsh", append([]string{"-f", "-c", run, "zsh", script}, words...)...)
}

func inFish(t *testing.T, script string, words []string) []string {
	return shellLines(t, "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, "atomvet "+strings.Join(words, " "))
}

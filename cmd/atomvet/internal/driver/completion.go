package driver

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/template"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/explain"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/gopls"
)

// A completed is what can follow a command, or the equals sign of a flag.
type completed struct {
	Name   string
	Values []string
	File   bool // the name of a file
	Bool   bool // for flags: a value is not needed
}

// List returns the values as the shells take lists.
func (c completed) List() string { return strings.Join(c.Values, " ") }

var (
	//go:embed completion.bash
	bashText string
	//go:embed completion.zsh
	zshText string
	//go:embed completion.fish
	fishText string
)

// completion prints the script that completes command lines in a shell.
func completion(w io.Writer, analyzers []*analysis.Analyzer, args []string) int {
	scripts := map[string]string{"bash": bashText, "zsh": zshText, "fish": fishText}
	if len(args) != 1 || scripts[args[0]] == "" {
		return failure(fmt.Errorf("want one shell of bash, fish and zsh; for bash, type: source <(atomvet completion bash)"))
	}
	script, err := template.New(args[0]).Parse(scripts[args[0]])
	if err != nil {
		return failure(err)
	}
	err = script.Execute(w, map[string][]completed{
		"Commands": commandWords(analyzers),
		"Flags":    flagWords((&options{}).flags(analyzers)),
		"Gopls":    flagWords(goplsFlags(analyzers, new(gopls.Options))),
	})
	if err != nil {
		return failure(err)
	}
	return exitClean
}

// commandWords lists the commands that are no check.
func commandWords(analyzers []*analysis.Analyzer) []completed {
	var detectors, rules []string
	for _, a := range analyzers {
		detectors = append(detectors, a.Name)
	}
	for _, text := range explain.All() {
		rules = append(rules, text.Rule)
	}
	return []completed{
		{Name: "help", Values: detectors},
		{Name: "explain", Values: rules},
		{Name: "completion", Values: []string{"bash", "fish", "zsh"}},
		{Name: "gopls"},
		{Name: "confirm"},
		{Name: "repro"},
		{Name: "observe"},
		{Name: "version"},
	}
}

// flagWords lists flags with what their values can be.
func flagWords(fs *flag.FlagSet) []completed {
	files := map[string]bool{"sarif": true, "html": true, "baseline": true, "C": true, "why": true, "modfile": true,
		"overlay": true, "pgo": true, "o": true, "source": true}
	var out []completed
	fs.VisitAll(func(f *flag.Flag) {
		c := completed{Name: "-" + f.Name, File: files[f.Name]}
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
			c.Bool, c.Values = true, []string{"true", "false"}
		}
		if f.Name == "confidence" || strings.HasSuffix(f.Name, ".confidence") {
			c.Values = []string{"high", "medium", "low"}
		}
		out = append(out, c)
	})
	return out
}

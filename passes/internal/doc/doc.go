// Package doc gives analyzers their documentation from the comments of their
// packages, so that pkg.go.dev and the help command show the same text.
package doc

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
)

// Extract returns the section of the package comment in source that documents the named
// analyzer: the text after "# Analyzer name", up to the next such heading. Its first line
// has the form "name: summary". Extract panics if the section is missing, which is a
// mistake in the analyzer's own source.
func Extract(source, name string) string {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", source, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		panic(fmt.Sprintf("documentation of %s: %v", name, err))
	}
	for _, section := range strings.Split(file.Doc.Text(), "\n# Analyzer ")[1:] {
		heading, body, _ := strings.Cut(section, "\n")
		if strings.TrimSpace(heading) != name {
			continue
		}
		body = strings.TrimSpace(body)
		if rest, ok := strings.CutPrefix(body, name+":"); ok {
			return strings.TrimSpace(rest)
		}
	}
	panic("no documentation of analyzer " + name)
}

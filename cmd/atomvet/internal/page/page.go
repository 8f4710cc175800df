// Package page prints findings as one HTML page that needs no other file: grouped by type and
// guard, with filters, for light and dark screens.
package page

import (
	_ "embed"
	"html/template"
	"io"
	"maps"
	"slices"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/explain"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

//go:embed page.html
var source string

var page = template.Must(template.New("page").Parse(source))

// A filter is a list of values, one of which can be chosen.
type filter struct {
	Name   string
	Values []string
}

// Print prints the page.
func Print(w io.Writer, list []report.Finding) error {
	texts := make(map[string]explain.Text)
	for i := range list {
		if found := explain.Of(list[i].Rule()); len(found) == 1 {
			texts[list[i].Rule()] = found[0]
		}
	}
	return page.Execute(w, struct {
		Count   int
		Filters []filter
		Groups  []*group
		Texts   map[string]explain.Text
	}{
		len(list),
		[]filter{
			{"detector", values(list, func(f *report.Finding) string { return f.Analyzer })},
			{"category", values(list, func(f *report.Finding) string { return f.Category })},
			{"package", values(list, func(f *report.Finding) string { return f.Package })},
			{"confidence", values(list, (*report.Finding).Confidence)},
		},
		groups(list),
		texts,
	})
}

// values returns what findings have, each once, in order.
func values(list []report.Finding, of func(*report.Finding) string) []string {
	seen := make(map[string]bool)
	for i := range list {
		seen[of(&list[i])] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

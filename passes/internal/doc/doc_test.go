package doc_test

import (
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/doc"
)

const source = `// Copyright notice.

// Package example defines two analyzers.
//
// # Analyzer first
//
// first: report the first thing
//
// A long explanation:
//
//	code()
//
// # Heading
//
// More of it.
//
// # Analyzer second
//
// second: report the second thing
//
// # Analyzer broken
//
// other: this is no summary of the analyzer broken
package example

func rest( // what follows is not parsed
`

func TestExtract(t *testing.T) {
	first := doc.Extract(source, "first")
	if !strings.HasPrefix(first, "report the first thing\n") {
		t.Errorf("the documentation does not start with the summary: %q", first)
	}
	for _, want := range []string{"A long explanation", "\tcode()", "Heading", "More of it."} {
		if !strings.Contains(first, want) {
			t.Errorf("the documentation lacks %q: %q", want, first)
		}
	}
	if strings.Contains(first, "second") {
		t.Errorf("the documentation goes on into the next section: %q", first)
	}
	if got, want := doc.Extract(source, "second"), "report the second thing"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestExtractPanics: a mistake in an analyzer's own source shows at once.
func TestExtractPanics(t *testing.T) {
	for _, test := range []struct{ name, source string }{
		{"third", source},
		{"fir", source},
		{"", source},
		{"broken", source},
		{"Heading", source},
		{"none", "package example\n"},
		{"none", "// Package example has no sections.\npackage example\n"},
		{"none", "this is not Go"},
		{"none", ""},
	} {
		func() {
			defer func() {
				if r := recover(); r == nil {
					t.Errorf("no panic for the missing section %q", test.name)
				} else if text, ok := r.(string); !ok || !strings.Contains(text, "documentation of") {
					t.Errorf("section %q: the panic does not tell what is missing: %v", test.name, r)
				}
			}()
			doc.Extract(test.source, test.name)
		}()
	}
}

package explain_test

import (
	"strings"
	"testing"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/explain"
	"github.com/atomvet/atomvet/passes"
)

// harmless has the categories that report no mistake: what could be simpler, what is wrong with a
// declaration, what was left out, and figures.
var harmless = map[string]bool{
	"reacquire/stylistic": true, "atomicset/directive": true, "atomicset/incomplete": true, "atomicset/model": true, "atomicset/stats": true,
}

// TestComplete: each category of the suite has one text of the right form, and each text is
// about a category.
func TestComplete(t *testing.T) {
	rules := map[string]bool{"failure": true}
	for _, a := range passes.Suite() {
		categories := passes.Categories(a)
		if len(categories) == 0 {
			t.Errorf("%s has no categories", a.Name)
		}
		for _, c := range categories {
			rule := a.Name + "/" + c
			rules[rule] = true
			found := explain.Of(rule)
			if len(found) != 1 {
				t.Errorf("%s has %d texts, want 1", rule, len(found))
				continue
			}
			text := found[0]
			if text.Rule != rule || text.Title == "" || strings.Contains(text.Title, "\n") {
				t.Errorf("%s has a text for %s with the title %q", rule, text.Rule, text.Title)
			}
			meaning, rest, ok1 := strings.Cut(text.Body, "\n\nWhy go test -race is silent\n\n")
			race, mend, ok2 := strings.Cut(rest, "\n\nHow to mend it\n\n")
			// The text for a category cites a mistake of a real program, unless its reports are harmless.
			if a != passes.Ignores && !harmless[rule] && !strings.Contains(meaning, "commit ") {
				t.Errorf("the text for %s has no mistake of a real program", rule)
			}
			if !ok1 || !ok2 || race == "" || !strings.Contains(meaning, "\n\t") || !strings.Contains(mend, "\n\t") {
				t.Errorf("the text for %s lacks a section, or code in one:\n%s", rule, text.Body)
			}
		}
	}
	for _, text := range explain.All() {
		if !rules[text.Rule] {
			t.Errorf("there is a text for %s, which is no category", text.Rule)
		}
	}
}

func TestOf(t *testing.T) {
	for _, test := range []struct {
		name string
		want int
	}{
		{"check-then-act", 1}, {"stalevalue/check-then-act", 1}, {"viewconsistency", 3}, {"reacquire", 4},
		{"stalevalue/failure", 1}, {"failure", 1}, {"R(a) W'(a) W(a)", 1}, {"atomicset/R(a) W'(a) W(a)", 1},
		{"nosuch", 0}, {"", 0}, {"stalevalue/", 0}, {"R(a)", 0}, {"X(a) W'(a) W(a)", 0}, {"viewconsistency/check-then-act", 0},
	} {
		if got := explain.Of(test.name); len(got) != test.want {
			t.Errorf("%q: %d texts, want %d", test.name, len(got), test.want)
		}
	}
	if text := explain.Of("R(a) W'(a) W(b)")[0].Body; !strings.Contains(text, "\t2. another one writes a\n\t3. the unit of work writes b\n") {
		t.Errorf("the steps of a scenario are:\n%s", text)
	}
}

package rule_test

import (
	"testing"

	"github.com/atomvet/atomvet/passes/internal/rule"
)

var numbers = rule.Set[int]{
	{ID: "positive", Kind: rule.Requires, Holds: func(n int) bool { return n > 0 }},
	{ID: "even", Kind: rule.Excludes, Holds: func(n int) bool { return n%2 == 0 }},
	{ID: "large", Kind: rule.Doubts, Doubt: "it is large", Holds: func(n int) bool { return n > 10 }},
	{ID: "huge", Kind: rule.DoubtsStrongly, Doubt: "it is huge", Holds: func(n int) bool { return n > 100 }},
}

func TestRejected(t *testing.T) {
	for n, want := range map[int]string{-1: "positive", -2: "positive", 2: "even", 3: "", 101: ""} {
		got := ""
		if r := numbers.Rejected(n); r != nil {
			got = r.ID
		}
		if got != want {
			t.Errorf("%d is rejected by %q, want %q", n, got, want)
		}
	}
}

func TestDoubting(t *testing.T) {
	for n, want := range map[int]int{3: 0, 11: 1, 101: 2} {
		if got := len(numbers.Doubting(n)); got != want {
			t.Errorf("%d: %d doubts, want %d", n, got, want)
		}
	}
}

func TestWithout(t *testing.T) {
	if r := numbers.Without("even").Rejected(2); r != nil {
		t.Errorf("rejected by %s", r.ID)
	}
	if r := numbers.Rejected(2); r == nil {
		t.Error("Without has changed the set")
	}
}

package finding_test

import (
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/finding"
)

func TestConfidence(t *testing.T) {
	slight, strong := finding.Doubt{Text: "a"}, finding.Doubt{Text: "b", Strong: true}
	for _, test := range []struct {
		doubts []finding.Doubt
		want   finding.Confidence
	}{
		{nil, finding.High},
		{[]finding.Doubt{slight}, finding.High},
		{[]finding.Doubt{slight, slight}, finding.High},
		{[]finding.Doubt{strong}, finding.Medium},
		{[]finding.Doubt{slight, strong}, finding.Medium},
		{[]finding.Doubt{slight, strong, slight}, finding.Low},
		{[]finding.Doubt{strong, strong}, finding.Low},
	} {
		f := finding.Finding{Doubts: test.doubts}
		if got := f.Confidence(); got != test.want {
			t.Errorf("%v: confidence %v, want %v", test.doubts, got, test.want)
		}
	}
}

// TestLevel: a finding is shown from its own confidence on, which it tells if it
// is not high.
func TestLevel(t *testing.T) {
	doubts := [][]finding.Doubt{nil, {{Text: "a"}, {Text: "b", Strong: true}}, {{Text: "c", Strong: true}, {Text: "d", Strong: true}}}
	for level, want := range []string{"", "[medium confidence: a; b]", "[low confidence: c; d]"} {
		pass, got := newPass(t, "package p\n\nvar _ = act()\nvar _ = act()\nvar _ = act()\n")
		findings := calls(pass)
		for i := range findings {
			findings[i].Doubts = doubts[i]
		}
		finding.Report(pass, finding.Confidence(level), findings)
		if len(*got) != level+1 {
			t.Fatalf("level %v: %d reports, want %d", finding.Confidence(level), len(*got), level+1)
		}
		if last := (*got)[level].Message; !strings.HasSuffix(last, want) {
			t.Errorf("message %q, want it to end in %q", last, want)
		}
	}
}

func TestLevelFlag(t *testing.T) {
	var level finding.Confidence
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	level.Flag(fs)
	if err := fs.Parse([]string{"-confidence=medium"}); err != nil || level != finding.Medium {
		t.Errorf("level %v, error %v", level, err)
	}
	if err := fs.Parse([]string{"-confidence=some"}); err == nil || !strings.Contains(err.Error(), "must be high, medium or low") {
		t.Errorf("error %v", err)
	}
}

package finding

import (
	"flag"
	"fmt"
	"strings"
)

// A Confidence says how much speaks for a finding. It follows from what the model
// knows of the case: a detector lists what it doubts. One or two slight doubts are
// nothing unusual; a finding with a strong one is of medium confidence, one with
// more of low.
type Confidence uint8

const (
	High Confidence = iota
	Medium
	Low
)

var levels = [...]string{"high", "medium", "low"}

func (c Confidence) String() string { return levels[c] }

// Set implements flag.Value.
func (c *Confidence) Set(s string) error {
	for i, name := range levels {
		if s == name {
			*c = Confidence(i)
			return nil
		}
	}
	return fmt.Errorf("must be high, medium or low")
}

// Flag adds to those of an analyzer the flag that says which findings to report.
func (c *Confidence) Flag(flags *flag.FlagSet) {
	flags.Var(c, "confidence", "report findings of at least this confidence: `high`, medium or low")
}

// A Doubt is something that speaks against a finding: not that the accesses are as
// it says, but that they do harm.
type Doubt struct {
	Text string // a few words
	// Strong says that it is as good as three others.
	Strong bool
}

// Doubts are what a detector lists.
type Doubts []Doubt

// What more than one detector doubts.
const (
	Sequential = "tests mostly do one thing after the other"
	Deep       = "it is deep in callees"
)

// Slight adds a doubt if it is one.
func (d *Doubts) Slight(holds bool, text string) {
	if holds {
		*d = append(*d, Doubt{Text: text})
	}
}

// Strong adds a strong doubt if it is one.
func (d *Doubts) Strong(holds bool, text string) {
	if holds {
		*d = append(*d, Doubt{Text: text, Strong: true})
	}
}

// Confidence returns how much speaks for the finding.
func (f *Finding) Confidence() Confidence {
	n := 0
	for _, d := range f.Doubts {
		if n++; d.Strong {
			n += 2
		}
	}
	switch {
	case n < 3:
		return High
	case n < 5:
		return Medium
	}
	return Low
}

// doubt words the confidence in a finding, if it is not high.
func (f *Finding) doubt() string {
	if f.Confidence() == High {
		return ""
	}
	var texts []string
	for _, d := range f.Doubts {
		texts = append(texts, d.Text)
	}
	return fmt.Sprintf(" [%s confidence: %s]", f.Confidence(), strings.Join(texts, "; "))
}

package finding

import (
	"flag"
	"fmt"
	"strings"
)

// A Confidence is the probability class of a finding. It follows from the doubts that the
// detector lists: one or two slight doubts are usual and leave the confidence high; a
// finding with a strong doubt is of medium confidence, with more of low.
type Confidence uint8

// The levels of confidence, by the weight of the doubts.
const (
	High   Confidence = iota // at most two slight doubts
	Medium                   // doubts of the weight of three or four slight ones
	Low                      // more
)

var levels = [...]string{"high", "medium", "low"}

// String returns high, medium or low.
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

// Flag registers the flag that sets the least confidence of the findings to report.
func (c *Confidence) Flag(flags *flag.FlagSet) {
	flags.Var(c, "confidence", "report findings of at least this confidence: `high`, medium or low")
}

// A Doubt is a reason why the accesses of a finding may be harmless. It does not question
// that the accesses exist.
type Doubt struct {
	Text string // a few words
	// Strong says that the doubt has the weight of three slight ones.
	Strong bool
}

// Doubts are the doubts of one finding.
type Doubts []Doubt

// The doubts that more than one detector uses.
const (
	Deep    = "it is deep in callees"
	Assumed = "much is done in between, and that two run at once is only assumed of the callers"
	Chosen  = "which implementation this is, code outside the package chooses"
)

// Slight adds a slight doubt if its condition holds.
func (d *Doubts) Slight(holds bool, text string) {
	if holds {
		*d = append(*d, Doubt{Text: text})
	}
}

// Strong adds a strong doubt if its condition holds.
func (d *Doubts) Strong(holds bool, text string) {
	if holds {
		*d = append(*d, Doubt{Text: text, Strong: true})
	}
}

// weight returns the number of slight doubts that the doubts are worth.
func (d Doubts) weight() int {
	n := 0
	for _, doubt := range d {
		if n++; doubt.Strong {
			n += 2
		}
	}
	return n
}

// Confidence returns the confidence that follows from the doubts.
func (f *Finding) Confidence() Confidence { return f.Doubts.Confidence() }

// Confidence returns the confidence in a finding with the doubts.
func (d Doubts) Confidence() Confidence {
	switch n := d.weight(); {
	case n < 3:
		return High
	case n < 5:
		return Medium
	}
	return Low
}

// doubt returns the suffix of the message for a finding whose confidence is not high.
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

package repro

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// missing says what has kept the trials from showing the finding, "" if one shows it: how far the unit
// has come in any of them, and what has stopped it or its rivals there.
func (t *tally) missing(s *search) string {
	if t.best != nil && t.best.Wrong {
		return ""
	}
	a := s.finding.Anchors
	var text string
	switch {
	case t.best != nil:
		return "the rival interferes, but the outcome is that of a serial order, or the serial orders are not repeatable"
	case t.ran == 0 && t.crashes == 0:
		return "no trial has ended in time (-timeout)"
	case t.checks == 0:
		text = fmt.Sprintf("in none of %d start states does %s come to its check at line %d", t.ran, s.unit.Name(), a.Check.Line) + endings("it", t.unit)
	case t.paused == 0:
		text = fmt.Sprintf("in none of %d start states does %s come from its check at line %d to its act at line %d", t.ran, s.unit.Name(), a.Check.Line, a.Act.Line) + endings("it", t.unit)
	default:
		var names []string
		for _, r := range s.rivals {
			names = append(names, r.Name())
		}
		text = fmt.Sprintf("%s comes to its act in %d of %d start states, and there none of %s %ss %s", s.unit.Name(), t.paused, t.ran,
			strings.Join(names, ", "), a.Interference, a.Object) + endings("a rival", t.rival)
	}
	if t.crashes > 0 {
		text += fmt.Sprintf("; %d of them end the process (%s)", t.crashes, t.crash)
	}
	for _, r := range s.untried {
		text += "; not tried: " + r
	}
	return text
}

// endings words the most frequent way in which functions end without returning.
func endings(who string, how map[string]int) string {
	if len(how) == 0 {
		return ""
	}
	most := slices.SortedFunc(maps.Keys(how), func(a, b string) int { return cmp.Or(cmp.Compare(how[b], how[a]), cmp.Compare(a, b)) })[0]
	return fmt.Sprintf("; %s %s in %d", who, strings.TrimSpace(most), how[most])
}

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A deviation is a difference between what is expected and what is.
type deviation struct {
	file string
	line int
	text string
}

func (d deviation) String() string { return fmt.Sprintf("%s:%d: %s", d.file, d.line, d.text) }

func sortDeviations(list []deviation) {
	slices.SortFunc(list, func(a, b deviation) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.text, b.text))
	})
}

// A checker collects the deviations of a program.
type checker struct {
	*program
	found []deviation
}

// deviations returns how the program differs from what is expected of it.
func (p *program) deviations() []deviation {
	if p.broken != nil {
		return []deviation{*p.broken}
	}
	c := &checker{program: p}
	c.checkViolations()
	c.checkFigures()
	for _, name := range p.modes() {
		if m := modeNamed(name); m == nil {
			c.atText(name, "unknown mode %s", name)
		} else if !p.suite.checks(*m) {
			c.atText(name, "%s is not a column of the suite", name)
		}
	}
	for _, m := range modes {
		if p.suite.checks(m) {
			c.checkMode(m)
		}
	}
	sortDeviations(c.found)
	return c.found
}

// at adds a deviation at a line of the source.
func (c *checker) at(line int, format string, args ...any) {
	c.found = append(c.found, deviation{c.file, line, fmt.Sprintf(format, args...)})
}

// atText adds a deviation at the line of expect.json that has the text, quoted.
func (c *checker) atText(text, format string, args ...any) {
	line := lineWith(c.data, `"`+text+`"`)
	c.found = append(c.found, deviation{c.expectPath(), line, fmt.Sprintf(format, args...)})
}

func (c *checker) checkViolations() {
	seen := make(map[string]bool)
	for _, v := range c.Violations {
		if seen[v.ID] {
			c.at(v.Second, "there are two violations %s", v.ID)
		}
		seen[v.ID] = true
		for _, line := range []int{v.First, v.Second} {
			if !c.accesses(line) {
				c.at(line, "violation %s cannot have an access here", v.ID)
			}
		}
		if in := c.function(v.Second); in != v.In {
			c.at(v.Second, "violation %s is said to be in %s, but the line is in %s", v.ID, v.In, in)
		}
		if c.function(v.First) == "no function" {
			c.at(v.First, "violation %s is said to begin here, in no function", v.ID)
		}
		if v.ID == "" || v.What == "" {
			c.at(v.Second, "a violation needs an id and says what is wrong")
		}
	}
	for i, text := range c.lines {
		line := i + 1
		for _, id := range marks(text) {
			if v := c.violation(id); v == nil || line != v.First && line != v.Second {
				c.at(line, "the comment says that there is an access of %s here, expect.json does not", id)
			}
		}
	}
}

// checkFigures checks that the figures are those that the table has place for.
func (c *checker) checkFigures() {
	fields := make(map[string][]string)
	for _, paper := range c.suite.Tables[c.suite.tableOf(c.name)].Papers {
		fields[paper.Name] = paper.Fields
	}
	for name, f := range c.Papers {
		if fields[name] == nil {
			c.atText(name, "the table has no column for %s", name)
			continue
		}
		for _, field := range fields[name] {
			if _, ok := f[field]; !ok {
				c.atText(name, "the figures of %s lack %q", name, field)
			}
		}
		for field := range f {
			if !slices.Contains(fields[name], field) {
				c.atText(name, "the figures of %s have no place for %q", name, field)
			}
		}
	}
	if listed := c.suite.ofPaper(c.name); listed && len(c.Papers) == 0 {
		c.atText("papers", "a program of the paper without its figures")
	} else if !listed && len(c.Papers) > 0 {
		c.atText("papers", "figures of a program that suite.json does not list")
	}
}

func (c *checker) checkMode(m mode) {
	for _, e := range c.Expect[m.name] {
		c.checkEntry(m, e)
	}
	for _, match := range c.match(m.name) {
		c.checkMatch(m, match)
	}
	if c.suite.inScope(m.name) && !m.adds {
		c.checkMissed(m)
	}
}

// checkEntry checks an expectation by itself.
func (c *checker) checkEntry(m mode, e expectation) {
	say := func(format string, args ...any) {
		text := m.name + ": " + fmt.Sprintf(format, args...)
		switch {
		case e.At > 0:
			c.at(e.At, "%s", text)
		case len(e.Violation) > 0:
			c.atText(e.Violation[0], "%s", text)
		default:
			c.atText(e.Label, "%s", text)
		}
	}
	names := len(e.Violation) > 0
	switch e.Label {
	case isTrue:
		if !names {
			say("a true report names its violation")
		}
	case isFalse, isBenign:
		if names {
			say("a %s report names a violation", e.Label)
		}
		if e.Why == "" {
			say("a %s report says why", e.Label)
		}
	case isMissed:
		if !names || e.At != 0 || e.In != "" || e.Category != "" {
			say("what is known-missed has a violation and no place")
		}
		if m.adds {
			say("known-missed, but %s only adds to another mode", m.name)
		} else if !c.suite.inScope(m.name) {
			say("known-missed, but %s is not a column of the suite", m.name)
		}
	case unlabelled: // the report, if there is one, has it
	default:
		say("unknown label %q", e.Label)
	}
	for _, id := range e.Violation {
		if c.violation(id) == nil {
			say("unknown violation %s", id)
		}
	}
}

// checkMatch checks that an expectation has its report, and the other way round.
func (c *checker) checkMatch(m mode, match match) {
	e, r := match.entry, match.report
	switch {
	case e == nil:
		c.at(r.line, "%s: report without an entry: %s", m.name, headline(r))
	case r == nil:
		c.at(e.At, "%s: no report, but a %s one is expected: %s", m.name, e.Label, e.Category)
	case e.Category != r.category:
		c.at(r.line, "%s: the category is %s, not %s", m.name, r.category, e.Category)
	case e.Label == unlabelled:
		c.at(r.line, "%s: unlabelled report: %s", m.name, headline(r))
	}
	if e != nil && r != nil {
		if in := c.function(r.line); in != e.In {
			c.at(r.line, "%s: the report is in %s, not in %s", m.name, in, e.In)
		}
	}
}

// headline is what a report says, on one line.
func headline(r *report) string {
	line, _, _ := strings.Cut(r.message, "\n")
	return line
}

// checkMissed checks that each violation is reported, or known to be missed.
func (c *checker) checkMissed(m mode) {
	reported := make(map[string]bool)
	missed := make(map[string]int)
	for _, e := range c.Expect[m.name] {
		for _, id := range e.Violation {
			switch e.Label {
			case isTrue:
				reported[id] = true
			case isMissed:
				missed[id]++
			}
		}
	}
	for _, v := range c.Violations {
		switch {
		case reported[v.ID] && missed[v.ID] > 0:
			c.at(v.Second, "%s: %s is known-missed, but it is reported", m.name, v.ID)
		case missed[v.ID] > 1:
			c.at(v.Second, "%s: %s is known-missed more than once", m.name, v.ID)
		case !reported[v.ID] && missed[v.ID] == 0:
			c.at(v.Second, "%s: %s is neither reported nor known-missed", m.name, v.ID)
		}
	}
}

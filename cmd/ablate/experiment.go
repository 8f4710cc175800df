package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/corpus"
)

// An experiment compares reports with and without rules.
type experiment struct {
	out     io.Writer
	verbose bool
	flags   string // DETECTOR.FLAG=VALUE,…
	corpora []*sample
}

// A sample is a corpus, and what is reported there with all rules.
type sample struct {
	*corpus.Corpus
	class func(corpus.Report) string // under which changes are counted
	base  map[*analysis.Analyzer][]corpus.Report
}

func (e *experiment) add(c *corpus.Corpus, class func(corpus.Report) string) {
	e.corpora = append(e.corpora, &sample{c, class, make(map[*analysis.Analyzer][]corpus.Report)})
}

// run prints what each of the rules changes.
func (e *experiment) run(rules []rule) error {
	for _, r := range rules {
		words, changes, err := e.without(r)
		if err != nil {
			return err
		}
		if len(words) == 0 {
			words = []string{"="}
		}
		fmt.Fprintf(e.out, "%s\t%s\t%s\n", r.detector.Name, r.id, strings.Join(words, "\t"))
		if e.verbose {
			for _, c := range changes {
				fmt.Fprintf(e.out, "\t%c %s:%d:%d: %s\n", c.sign, c.File, c.Line, c.Column, c.Message)
			}
		}
	}
	return nil
}

// without says for each class what changes without a rule, such as "bugs +1 -2".
func (e *experiment) without(r rule) (words []string, changes []change, err error) {
	for _, s := range e.corpora {
		list, err := s.without(r, e.config(r.detector))
		if err != nil {
			return nil, nil, err
		}
		words = append(words, summary(list, s.class)...)
		changes = append(changes, list...)
	}
	return words, changes, nil
}

// config is that of a detector with all its rules.
func (e *experiment) config(d *analysis.Analyzer) corpus.Config {
	cfg := corpus.Config{Detectors: []*analysis.Analyzer{d}}.At("low")
	for setting := range strings.SplitSeq(e.flags, ",") {
		if name, value, ok := strings.Cut(setting, "="); ok && strings.HasPrefix(name, d.Name+".") {
			cfg = cfg.With(name, value)
		}
	}
	return cfg
}

func (s *sample) without(r rule, cfg corpus.Config) ([]change, error) {
	base, ok := s.base[r.detector]
	if !ok {
		var err error
		if base, err = s.Run(cfg); err != nil {
			return nil, err
		}
		s.base[r.detector] = base
	}
	found, err := s.Run(cfg.With(r.detector.Name+"."+without, r.id))
	if err != nil {
		return nil, fmt.Errorf("without %v: %w", r, err)
	}
	return compare(base, found), nil
}

// A change is a report that comes (+), goes (-) or has another text (~).
type change struct {
	sign rune
	corpus.Report
}

// compare returns what has changed. Reports are the same if they are of one category at
// one place.
func compare(before, after []corpus.Report) []change {
	anonymous := func(r corpus.Report) corpus.Report {
		r.Message, r.Confidence = "", ""
		return r
	}
	was, is := make(map[corpus.Report][]corpus.Report), make(map[corpus.Report][]corpus.Report)
	for _, r := range before {
		was[anonymous(r)] = append(was[anonymous(r)], r)
	}
	for _, r := range after {
		is[anonymous(r)] = append(is[anonymous(r)], r)
	}
	var out []change
	for _, r := range before {
		if is[anonymous(r)] == nil {
			out = append(out, change{'-', r})
		}
	}
	for _, r := range after {
		if old := was[anonymous(r)]; old == nil {
			out = append(out, change{'+', r})
		} else if !slices.Contains(old, r) {
			out = append(out, change{'~', r})
		}
	}
	// One of several messages at a place has gone.
	for _, r := range before {
		if now := is[anonymous(r)]; now != nil && len(now) < len(was[anonymous(r)]) && !slices.Contains(now, r) {
			out = append(out, change{'~', r})
		}
	}
	return out
}

// summary counts changes by class.
func summary(changes []change, class func(corpus.Report) string) []string {
	count := make(map[string]map[rune]int)
	for _, c := range changes {
		name := class(c.Report)
		if count[name] == nil {
			count[name] = make(map[rune]int)
		}
		count[name][c.sign]++
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		text := name
		for _, sign := range "+-~" {
			if n := count[name][sign]; n > 0 {
				text += fmt.Sprintf(" %c%d", sign, n)
			}
		}
		words = append(words, text)
	}
	return words
}

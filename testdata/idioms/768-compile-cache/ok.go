// Package relabel selects and renames metric series by pattern.
package relabel

import (
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"
)

// Rule drops or renames the series whose name matches Pattern.
type Rule struct {
	Pattern string
	Rename  string // empty to drop the series
}

// Engine applies rules. Tenants bring their own rules with each push, and
// most of them share the same patterns.
type Engine struct {
	compiled sync.Map // string -> *regexp.Regexp
	compiles atomic.Int64
	applied  atomic.Int64
}

// Series is one named measurement.
type Series struct {
	Name  string
	Value float64
}

// Apply returns the series that remain after all rules.
func (e *Engine) Apply(rules []Rule, in []Series) ([]Series, error) {
	matchers := make([]*regexp.Regexp, len(rules))
	for i, r := range rules {
		re, err := e.matcher(r.Pattern)
		if err != nil {
			return nil, err
		}
		matchers[i] = re
	}

	out := make([]Series, 0, len(in))
next:
	for _, s := range in {
		for i, re := range matchers {
			if !re.MatchString(s.Name) {
				continue
			}
			e.applied.Add(1)
			if rules[i].Rename == "" {
				continue next
			}
			s.Name = re.ReplaceAllString(s.Name, rules[i].Rename)
		}
		out = append(out, s)
	}
	return out, nil
}

func (e *Engine) matcher(pattern string) (*regexp.Regexp, error) {
	if v, ok := e.compiled.Load(pattern); ok {
		return v.(*regexp.Regexp), nil
	}
	re, err := regexp.Compile("^(?:" + pattern + ")$")
	if err != nil {
		return nil, fmt.Errorf("relabel: pattern %q: %w", pattern, err)
	}
	e.compiles.Add(1)
	e.compiled.Store(pattern, re)
	return re, nil
}

// Purge empties the pattern cache.
func (e *Engine) Purge() {
	e.compiled.Clear()
}

// Compiles returns how many patterns have been compiled.
func (e *Engine) Compiles() int64 { return e.compiles.Load() }

// Applied returns how many rules have matched.
func (e *Engine) Applied() int64 { return e.applied.Load() }

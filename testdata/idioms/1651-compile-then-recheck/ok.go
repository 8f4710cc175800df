package a

import (
	"regexp"
	"sync"
)

// Rule is a compiled path rule.
type Rule struct {
	re *regexp.Regexp

	mu   sync.Mutex
	used int
}

// Match reports whether the rule covers the path.
func (r *Rule) Match(path string) bool {
	r.mu.Lock()
	r.used++
	r.mu.Unlock()
	return r.re.MatchString(path)
}

// Rules keeps the compiled form of rule texts.
type Rules struct {
	mu       sync.RWMutex
	compiled map[string]*Rule
}

// NewRules returns an empty set.
func NewRules() *Rules {
	return &Rules{compiled: make(map[string]*Rule)}
}

// Rule returns the rule for a text. Equal texts share one rule.
func (s *Rules) Rule(text string) (*Rule, error) {
	s.mu.RLock()
	r, ok := s.compiled[text]
	s.mu.RUnlock()
	if ok {
		return r, nil
	}

	re, err := regexp.Compile("^(?:" + text + ")$")
	if err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.compiled[text]; ok {
		return r, nil
	}
	r = &Rule{re: re}
	s.compiled[text] = r
	return r, nil
}

// Used reports how often each rule was asked.
func (s *Rules) Used() map[string]int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make(map[string]int, len(s.compiled))
	for text, r := range s.compiled {
		r.mu.Lock()
		out[text] = r.used
		r.mu.Unlock()
	}
	return out
}

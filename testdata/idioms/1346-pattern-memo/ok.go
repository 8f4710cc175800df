// Package ok matches log lines against the patterns of alert rules.
package ok

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"
)

// Rule raises an alert for the lines its pattern matches.
type Rule struct {
	Name    string
	Pattern string
}

// memo keeps what has been computed from a key. compute must depend on nothing
// but the key, so it does not matter whose result is kept.
type memo[V any] struct {
	compute func(key string) (V, error)

	mu   sync.RWMutex
	vals map[string]V
	runs atomic.Int64
}

func newMemo[V any](compute func(string) (V, error)) *memo[V] {
	return &memo[V]{compute: compute, vals: make(map[string]V)}
}

func (m *memo[V]) peek(key string) (V, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.vals[key]
	return v, ok
}

func (m *memo[V]) put(key string, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.vals[key] = v
}

func (m *memo[V]) get(key string) (V, error) {
	if v, ok := m.peek(key); ok {
		return v, nil
	}
	m.runs.Add(1)
	v, err := m.compute(key)
	if err != nil {
		return v, err
	}
	m.put(key, v)
	return v, nil
}

// Alert is a line that a rule has matched.
type Alert struct {
	Rule string
	Line string
}

// Engine runs lines through rules.
type Engine struct {
	patterns *memo[*regexp.Regexp]
	alerts   chan Alert
}

func NewEngine(backlog int) *Engine {
	return &Engine{
		patterns: newMemo(regexp.Compile),
		alerts:   make(chan Alert, backlog),
	}
}

// Alerts is where the alerts come out.
func (e *Engine) Alerts() <-chan Alert { return e.alerts }

// Feed runs the lines of one source through the rules of its owner. It is
// called for many sources at a time.
func (e *Engine) Feed(ctx context.Context, rules []Rule, lines <-chan string) error {
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				return nil
			}
			if err := e.check(ctx, rules, line); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (e *Engine) check(ctx context.Context, rules []Rule, line string) error {
	for _, r := range rules {
		re, err := e.patterns.get(r.Pattern)
		if err != nil {
			return fmt.Errorf("rule %s: %w", r.Name, err)
		}
		if !re.MatchString(line) {
			continue
		}
		select {
		case e.alerts <- Alert{Rule: r.Name, Line: line}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Compiled counts how often a pattern was compiled.
func (e *Engine) Compiled() int64 { return e.patterns.runs.Load() }

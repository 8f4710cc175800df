// Package accesslog decides which requests are logged, by rules written as
// regular expressions in the configuration of each virtual host.
package accesslog

import (
	"fmt"
	"net/http"
	"regexp"
	"sync"
	"time"
)

// Rule selects requests.
type Rule struct {
	Path  string // regular expression; empty means any
	Agent string // regular expression; empty means any
	Skip  bool   // do not log what the rule selects
}

// patterns caches compiled expressions by their source text.
type patterns struct {
	limit int

	mu       sync.RWMutex
	compiled map[string]*regexp.Regexp
}

func newPatterns(limit int) *patterns {
	return &patterns{limit: limit, compiled: make(map[string]*regexp.Regexp)}
}

func (p *patterns) lookup(expr string) (*regexp.Regexp, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	re, ok := p.compiled[expr]
	return re, ok
}

func (p *patterns) remember(expr string, re *regexp.Regexp) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.compiled) >= p.limit {
		clear(p.compiled)
	}
	p.compiled[expr] = re
}

// get returns expr compiled.
func (p *patterns) get(expr string) (*regexp.Regexp, error) {
	if re, ok := p.lookup(expr); ok {
		return re, nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("accesslog: %w", err)
	}
	p.remember(expr, re)
	return re, nil
}

// Sink takes log lines; it is safe for concurrent use.
type Sink interface {
	WriteLine(line string)
}

// Logger is safe for concurrent use.
type Logger struct {
	sink     Sink
	patterns *patterns
}

// New returns a Logger that writes to sink.
func New(sink Sink) *Logger {
	return &Logger{sink: sink, patterns: newPatterns(512)}
}

func (l *Logger) matches(expr, s string) (bool, error) {
	if expr == "" {
		return true, nil
	}
	re, err := l.patterns.get(expr)
	if err != nil {
		return false, err
	}
	return re.MatchString(s), nil
}

// wanted applies the first rule that selects r.
func (l *Logger) wanted(rules []Rule, r *http.Request) (bool, error) {
	for _, rule := range rules {
		path, err := l.matches(rule.Path, r.URL.Path)
		if err != nil {
			return true, err
		}
		agent, err := l.matches(rule.Agent, r.UserAgent())
		if err != nil {
			return true, err
		}
		if path && agent {
			return !rule.Skip, nil
		}
	}
	return true, nil
}

// Wrap logs requests served by next as the rules say. The rules must not be
// changed afterwards.
func (l *Logger) Wrap(rules []Rule, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		next.ServeHTTP(w, r)
		want, err := l.wanted(rules, r)
		if err != nil {
			l.sink.WriteLine("bad rule: " + err.Error())
		}
		if want {
			l.sink.WriteLine(fmt.Sprintf("%s %s %s", r.Method, r.URL.Path, time.Since(start)))
		}
	})
}

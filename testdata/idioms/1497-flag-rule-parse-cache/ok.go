package flags

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// Attributes describe the user a flag is evaluated for.
type Attributes map[string]string

// rule is a parsed targeting expression. It is immutable.
type rule struct {
	clauses []clause
}

type clause struct {
	attr   string
	want   string
	negate bool
}

func (r *rule) match(a Attributes) bool {
	for _, c := range r.clauses {
		if (a[c.attr] == c.want) == c.negate {
			return false
		}
	}
	return true
}

// parse understands "country=de && plan!=free".
func parse(expr string) (*rule, error) {
	r := new(rule)
	for part := range strings.SplitSeq(expr, "&&") {
		part = strings.TrimSpace(part)
		if attr, want, ok := strings.Cut(part, "!="); ok {
			r.clauses = append(r.clauses, clause{attr: attr, want: want, negate: true})
			continue
		}
		attr, want, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("flags: bad clause %q", part)
		}
		r.clauses = append(r.clauses, clause{attr: attr, want: want})
	}
	return r, nil
}

// Evaluator answers flag queries. Parsed rules are kept by their text.
type Evaluator struct {
	mu    sync.RWMutex
	exprs map[string]string // flag -> expression

	parsed sync.Map // expression -> *rule
}

func NewEvaluator() *Evaluator {
	return &Evaluator{exprs: make(map[string]string)}
}

// Define sets the expression of a flag.
func (e *Evaluator) Define(flag, expr string) error {
	if _, err := e.rule(expr); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.exprs[flag] = expr
	return nil
}

func (e *Evaluator) expr(flag string) (string, bool) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	x, ok := e.exprs[flag]
	return x, ok
}

func (e *Evaluator) rule(expr string) (*rule, error) {
	if v, ok := e.parsed.Load(expr); ok {
		return v.(*rule), nil
	}
	r, err := parse(expr)
	if err != nil {
		return nil, err
	}
	e.parsed.Store(expr, r)
	return r, nil
}

// On evaluates a flag as it is defined at the time of the call.
func (e *Evaluator) On(flag string, a Attributes) bool {
	expr, ok := e.expr(flag)
	if !ok {
		return false
	}
	r, err := e.rule(expr)
	return err == nil && r.match(a)
}

// ServeHTTP evaluates a flag for the attributes in the body.
func (e *Evaluator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var a Attributes
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(e.On(r.PathValue("flag"), a))
}

package gateway

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"sync/atomic"
	"time"
)

// Rule is the rate limit of one route.
type Rule struct {
	PerSecond int `json:"per_second"`
	Burst     int `json:"burst"`
}

// table is immutable; a change makes a new one.
type table struct {
	rules   map[string]Rule
	changed time.Time
}

// Rules are read on every request and changed by operators now and then.
type Rules struct {
	cur      atomic.Pointer[table]
	fallback Rule
}

func NewRules(fallback Rule) *Rules {
	r := &Rules{fallback: fallback}
	r.cur.Store(&table{rules: map[string]Rule{}})
	return r
}

// For returns the rule of a route.
func (r *Rules) For(route string) Rule {
	if rule, ok := r.cur.Load().rules[route]; ok {
		return rule
	}
	return r.fallback
}

// Changed is the time of the last change.
func (r *Rules) Changed() time.Time { return r.cur.Load().changed }

// edit applies fn to a copy of the rules and makes it current.
func (r *Rules) edit(fn func(m map[string]Rule) error) error {
	for {
		old := r.cur.Load()
		next := &table{rules: maps.Clone(old.rules), changed: time.Now()}
		if err := fn(next.rules); err != nil {
			return err
		}
		if r.cur.CompareAndSwap(old, next) {
			return nil
		}
	}
}

var errNoRule = errors.New("gateway: route has no rule")

// Set gives a route its own rule.
func (r *Rules) Set(route string, rule Rule) error {
	if rule.PerSecond <= 0 || rule.Burst < rule.PerSecond {
		return errors.New("gateway: bad rule")
	}
	return r.edit(func(m map[string]Rule) error {
		m[route] = rule
		return nil
	})
}

// Scale multiplies the limit of a route, e.g. during a sale.
func (r *Rules) Scale(route string, factor int) error {
	return r.edit(func(m map[string]Rule) error {
		rule, ok := m[route]
		if !ok {
			return errNoRule
		}
		rule.PerSecond *= factor
		rule.Burst *= factor
		m[route] = rule
		return nil
	})
}

// Reset returns a route to the fallback.
func (r *Rules) Reset(route string) error {
	return r.edit(func(m map[string]Rule) error {
		if _, ok := m[route]; !ok {
			return errNoRule
		}
		delete(m, route)
		return nil
	})
}

// ServeHTTP is the operators' endpoint.
func (r *Rules) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	route := req.PathValue("route")
	var err error
	switch req.Method {
	case http.MethodPut:
		var rule Rule
		if err = json.NewDecoder(req.Body).Decode(&rule); err == nil {
			err = r.Set(route, rule)
		}
	case http.MethodDelete:
		err = r.Reset(route)
	default:
		_ = json.NewEncoder(w).Encode(r.For(route))
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

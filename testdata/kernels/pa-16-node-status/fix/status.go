package nodestatus

import (
	"errors"
	"maps"
	"sync"
	"time"
)

// ErrUnknownNode is returned for a node that is not registered.
var ErrUnknownNode = errors.New("nodestatus: unknown node")

// Effect is what a taint does.
type Effect string

// The effects.
const (
	NoSchedule Effect = "NoSchedule"
	NoExecute  Effect = "NoExecute"
)

// Condition is one observed property of a node.
type Condition struct {
	OK     bool
	Reason string
	Since  time.Time
}

// Status is the state of a node. A published status is not changed any more.
type Status struct {
	Node       string
	Heartbeat  time.Time
	Conditions map[string]Condition
	Taints     map[string]Effect
}

func (s *Status) clone() *Status {
	c := *s
	c.Conditions = maps.Clone(s.Conditions)
	c.Taints = maps.Clone(s.Taints)
	return &c
}

// StatusManager keeps the status of all nodes.
type StatusManager struct {
	nodes sync.Map // string to *Status
}

// Register adds a node.
func (m *StatusManager) Register(node string) *Status {
	v, _ := m.nodes.LoadOrStore(node, &Status{
		Node:       node,
		Heartbeat:  time.Now(),
		Conditions: map[string]Condition{},
		Taints:     map[string]Effect{},
	})
	return v.(*Status)
}

// Deregister removes a node.
func (m *StatusManager) Deregister(node string) { m.nodes.Delete(node) }

// Get returns the status of a node.
func (m *StatusManager) Get(node string) (*Status, error) {
	v, ok := m.nodes.Load(node)
	if !ok {
		return nil, ErrUnknownNode
	}
	return v.(*Status), nil
}

func (m *StatusManager) mutate(node string, change func(*Status)) error {
	for {
		old, err := m.Get(node)
		if err != nil {
			return err
		}
		next := old.clone()
		change(next)
		if m.nodes.CompareAndSwap(node, old, next) {
			return nil
		}
	}
}

// Heartbeat serves the periodic report of a kubelet.
func (m *StatusManager) Heartbeat(node string, conds map[string]bool) error {
	now := time.Now()
	return m.mutate(node, func(s *Status) {
		s.Heartbeat = now
		for name, ok := range conds {
			if c, known := s.Conditions[name]; !known || c.OK != ok {
				s.Conditions[name] = Condition{OK: ok, Reason: "KubeletReport", Since: now}
			}
		}
	})
}

// SetCondition sets one condition.
func (m *StatusManager) SetCondition(node, name string, c Condition) error {
	return m.mutate(node, func(s *Status) { s.Conditions[name] = c })
}

// SetTaint adds a taint, or removes it if effect is empty.
func (m *StatusManager) SetTaint(node, key string, effect Effect) error {
	return m.mutate(node, func(s *Status) {
		if effect == "" {
			delete(s.Taints, key)
			return
		}
		s.Taints[key] = effect
	})
}

// Schedulable returns the nodes without a taint that keeps pods away.
func (m *StatusManager) Schedulable() []string {
	var out []string
	m.nodes.Range(func(_, v any) bool {
		if s := v.(*Status); len(s.Taints) == 0 {
			out = append(out, s.Node)
		}
		return true
	})
	return out
}

// Package fix launches instances of parameterized work templates.
package fix

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errNoTemplate = errors.New("template not found")
	errNotParam   = errors.New("template is not parameterized")
)

// Work is a template or an instance that was launched from one.
type Work struct {
	ID          string
	Parent      string
	Param       bool
	LaunchKey   string
	Payload     []byte
	CreateIndex uint64
	ModifyIndex uint64
}

// upsertReq is what goes through the log.
type upsertReq struct {
	Work      *Work
	Parent    string
	LaunchKey string
}

// table is the state store.
type table struct {
	mu    sync.RWMutex
	works map[string]*Work
	index uint64
}

func newTable() *table {
	return &table{works: make(map[string]*Work)}
}

func (t *table) byID(id string) *Work {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.works[id]
}

// byKey returns the instance of parent that was launched with key.
func (t *table) byKey(parent, key string) *Work {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, w := range t.works {
		if w.Parent == parent && w.LaunchKey == key {
			return w
		}
	}
	return nil
}

func (t *table) put(index uint64, w *Work) {
	t.mu.Lock()
	defer t.mu.Unlock()
	cp := *w
	cp.ModifyIndex = index
	cp.CreateIndex = index
	if old := t.works[w.ID]; old != nil {
		cp.CreateIndex = old.CreateIndex
	}
	t.works[w.ID] = &cp
	t.index = index
}

func (t *table) remove(index uint64, id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.works, id)
	t.index = index
}

type logEntry struct {
	up     *upsertReq
	remove string
	done   chan uint64
}

// machine applies log entries, one after the other.
type machine struct {
	state   *table
	entries chan logEntry
	applied uint64
}

func (m *machine) run() {
	for e := range m.entries {
		m.applied++
		switch {
		case e.up != nil:
			m.applyUpsert(m.applied, e.up)
		case e.remove != "":
			m.state.remove(m.applied, e.remove)
		}
		e.done <- m.applied
	}
}

func (m *machine) applyUpsert(index uint64, req *upsertReq) {
	w := *req.Work
	if w.Parent == "" && req.Parent != "" {
		w.Parent = req.Parent
	}
	if req.LaunchKey != "" && m.state.byKey(req.Parent, req.LaunchKey) != nil {
		return
	}
	m.state.put(index, &w)
}

// Endpoint serves the requests of clients, each in a goroutine of its own.
type Endpoint struct {
	fsm *machine
	seq atomic.Uint64
}

// NewEndpoint starts the log and returns an endpoint on top of it.
func NewEndpoint() *Endpoint {
	m := &machine{state: newTable(), entries: make(chan logEntry, 64)}
	go m.run()
	return &Endpoint{fsm: m}
}

func (e *Endpoint) propose(l logEntry) uint64 {
	l.done = make(chan uint64, 1)
	e.fsm.entries <- l
	return <-l.done
}

// Register stores a template.
func (e *Endpoint) Register(id string, param bool) uint64 {
	return e.propose(logEntry{up: &upsertReq{Work: &Work{ID: id, Param: param}}})
}

// Deregister drops a template or an instance.
func (e *Endpoint) Deregister(id string) uint64 {
	return e.propose(logEntry{remove: id})
}

// LaunchReply names the instance that runs.
type LaunchReply struct {
	ID    string
	Index uint64
}

// Launch makes an instance of a template. A request that is sent again with
// the same key gets the instance of the first one.
func (e *Endpoint) Launch(template, key string, payload []byte) (*LaunchReply, error) {
	tmpl := e.fsm.state.byID(template)
	if tmpl == nil {
		return nil, errNoTemplate
	}
	if !tmpl.Param {
		return nil, errNotParam
	}

	if key != "" {
		if old := e.fsm.state.byKey(template, key); old != nil {
			return &LaunchReply{ID: old.ID, Index: old.ModifyIndex}, nil
		}
	}

	inst := &Work{
		ID:        fmt.Sprintf("%s/launch-%d-%d", template, time.Now().Unix(), e.seq.Add(1)),
		Parent:    template,
		LaunchKey: key,
		Payload:   append([]byte(nil), payload...),
	}
	index := e.propose(logEntry{up: &upsertReq{Work: inst, Parent: template, LaunchKey: key}})
	if key != "" {
		if w := e.fsm.state.byKey(template, key); w != nil {
			return &LaunchReply{ID: w.ID, Index: w.ModifyIndex}, nil
		}
	}
	return &LaunchReply{ID: inst.ID, Index: index}, nil
}

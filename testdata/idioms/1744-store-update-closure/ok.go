package a

import (
	"errors"
	"maps"
	"slices"
	"sync"
)

var (
	errNoCapacity = errors.New("no node has room for the task")
	errNoTask     = errors.New("no such task")
)

type taskState int

const (
	taskPending taskState = iota
	taskAssigned
	taskRunning
	taskFailed
)

type task struct {
	ID    string
	State taskState
	Node  string
	CPU   int
}

// tx gives access to the tables within View or Update, and not afterwards.
type tx struct {
	tasks map[string]task
	free  map[string]int
}

func (t *tx) task(id string) (task, bool) {
	v, ok := t.tasks[id]
	return v, ok
}

func (t *tx) put(v task) { t.tasks[v.ID] = v }

// roomiest returns the node with the most free CPU.
func (t *tx) roomiest() (node string, free int) {
	for _, n := range slices.Sorted(maps.Keys(t.free)) {
		if t.free[n] > free {
			node, free = n, t.free[n]
		}
	}
	return node, free
}

func (t *tx) take(node string, cpu int) { t.free[node] -= cpu }

func (t *tx) giveBack(node string, cpu int) {
	if _, ok := t.free[node]; ok {
		t.free[node] += cpu
	}
}

// memoryStore is the state of the manager.
type memoryStore struct {
	mu sync.RWMutex
	tx tx
}

func newMemoryStore(nodes map[string]int) *memoryStore {
	return &memoryStore{tx: tx{tasks: make(map[string]task), free: maps.Clone(nodes)}}
}

// View runs fn, which only reads.
func (s *memoryStore) View(fn func(*tx)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	fn(&s.tx)
}

// Update runs fn alone. It must not write before it returns an error.
func (s *memoryStore) Update(fn func(*tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fn(&s.tx)
}

// scheduler assigns pending tasks to nodes.
type scheduler struct {
	store *memoryStore
}

func (s *scheduler) Submit(id string, cpu int) error {
	return s.store.Update(func(t *tx) error {
		if _, ok := t.task(id); ok {
			return errors.New("task exists")
		}
		t.put(task{ID: id, CPU: cpu})
		return nil
	})
}

// pending lists the tasks that wait for a node.
func (s *scheduler) pending() []string {
	var ids []string
	s.store.View(func(t *tx) {
		for id, v := range t.tasks {
			if v.State == taskPending {
				ids = append(ids, id)
			}
		}
	})
	slices.Sort(ids)
	return ids
}

// Tick assigns what it can. Tasks that were assigned by another Tick since
// they were listed are passed over.
func (s *scheduler) Tick() (assigned int) {
	for _, id := range s.pending() {
		if ok, err := s.assign(id); err == nil && ok {
			assigned++
		}
	}
	return assigned
}

func (s *scheduler) assign(id string) (ok bool, err error) {
	err = s.store.Update(func(t *tx) error {
		v, found := t.task(id)
		if !found || v.State != taskPending {
			return nil
		}
		node, free := t.roomiest()
		if node == "" || free < v.CPU {
			return errNoCapacity
		}
		t.take(node, v.CPU)
		v.State, v.Node = taskAssigned, node
		t.put(v)
		ok = true
		return nil
	})
	return ok, err
}

// Report takes in what an agent says about a task it was assigned.
func (s *scheduler) Report(id, node string, state taskState) error {
	return s.store.Update(func(t *tx) error {
		v, found := t.task(id)
		if !found || v.State == taskPending || v.Node != node {
			return errNoTask
		}
		if state <= v.State {
			return nil
		}
		if state == taskFailed {
			t.giveBack(node, v.CPU)
		}
		v.State = state
		t.put(v)
		return nil
	})
}

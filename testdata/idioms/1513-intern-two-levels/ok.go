package ok

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const cacheExpireDuration = 6 * time.Minute

type internStringMapEntry struct {
	deadline int64
	s        string
}

// internStringMap has an immutable level that is read without a lock and a
// mutable one. Strings only move from the second to the first, under mutableLock.
type internStringMap struct {
	mutableLock  sync.Mutex
	mutable      map[string]string
	mutableReads uint64

	readonly atomic.Pointer[map[string]internStringMapEntry]
}

func newInternStringMap(stop <-chan struct{}) *internStringMap {
	m := &internStringMap{
		mutable: make(map[string]string),
	}
	readonly := make(map[string]internStringMapEntry)
	m.readonly.Store(&readonly)

	go func() {
		ticker := time.NewTicker(cacheExpireDuration / 2)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				m.cleanup()
			case <-stop:
				return
			}
		}
	}()
	return m
}

func (m *internStringMap) getReadonly() map[string]internStringMapEntry {
	return *m.readonly.Load()
}

func (m *internStringMap) intern(s string) string {
	readonly := m.getReadonly()
	e, ok := readonly[s]
	if ok {
		// Fast path - the string has been found in readonly map.
		return e.s
	}

	// Slower path - search for the string in mutable map under the lock.
	m.mutableLock.Lock()
	sInterned, ok := m.mutable[s]
	if !ok {
		// Verify whether s has been already registered by concurrent goroutines in m.readonly
		readonly = m.getReadonly()
		e, ok = readonly[s]
		if !ok {
			// Slowest path - register the string in mutable map.
			// Make a new copy for s in order to remove references from possible bigger string s refers to.
			sInterned = strings.Clone(s)
			m.mutable[sInterned] = sInterned
		} else {
			sInterned = e.s
		}
	}
	m.mutableReads++
	if m.mutableReads > uint64(len(readonly)) {
		m.migrateMutableToReadonlyLocked()
		m.mutableReads = 0
	}
	m.mutableLock.Unlock()

	return sInterned
}

func (m *internStringMap) migrateMutableToReadonlyLocked() {
	readonly := m.getReadonly()
	readonlyCopy := make(map[string]internStringMapEntry, len(readonly)+len(m.mutable))
	for k, e := range readonly {
		readonlyCopy[k] = e
	}
	deadline := time.Now().Add(cacheExpireDuration).Unix()
	for k, s := range m.mutable {
		readonlyCopy[k] = internStringMapEntry{s: s, deadline: deadline}
	}
	m.mutable = make(map[string]string)
	m.readonly.Store(&readonlyCopy)
}

func (m *internStringMap) cleanup() {
	m.mutableLock.Lock()
	defer m.mutableLock.Unlock()

	readonly := m.getReadonly()
	currentTime := time.Now().Unix()
	readonlyCopy := make(map[string]internStringMapEntry, len(readonly))
	for k, e := range readonly {
		if e.deadline > currentTime {
			readonlyCopy[k] = e
		}
	}
	if len(readonlyCopy) < len(readonly) {
		m.readonly.Store(&readonlyCopy)
	}
}

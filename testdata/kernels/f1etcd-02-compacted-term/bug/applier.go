// Package bug applies the entries of a replicated log.
package bug

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var errCompacted = errors.New("requested index is unavailable due to compaction")

type record struct {
	Term, Index uint64
	Data        string
}

// logStorage is the log in memory; it locks itself.
type logStorage struct {
	mu   sync.Mutex
	ents []record
}

func newLogStorage() *logStorage { return &logStorage{ents: make([]record, 1)} }

func (ls *logStorage) append(es []record) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.ents = append(ls.ents, es...)
}

func (ls *logStorage) term(i uint64) (uint64, error) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	offset := ls.ents[0].Index
	if i < offset {
		return 0, errCompacted
	}
	if i-offset >= uint64(len(ls.ents)) {
		return 0, errors.New("requested entry is unavailable")
	}
	return ls.ents[i-offset].Term, nil
}

func (ls *logStorage) compact(i uint64) error {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	offset := ls.ents[0].Index
	if i <= offset {
		return errCompacted
	}
	if i-offset >= uint64(len(ls.ents)) {
		return fmt.Errorf("compact %d is out of bound", i)
	}
	ls.ents = append([]record(nil), ls.ents[i-offset:]...)
	return nil
}

type snapMessage struct {
	To          uint64
	Term, Index uint64
	Data        string
}

type batch struct {
	entries []record
	saved   chan struct{}
}

type progress struct {
	snapi uint64
	lasti uint64
}

// Applier owns the state machine.
type Applier struct {
	storage  *logStorage
	applyc   chan batch
	snapReqC chan uint64
	sendc    chan snapMessage
	stop     chan struct{}
	done     chan struct{}

	mu    sync.RWMutex
	state string

	committed atomic.Uint64
	snapCount uint64
}

// NewApplier starts the apply loop.
func NewApplier(snapCount uint64) *Applier {
	a := &Applier{
		storage:   newLogStorage(),
		applyc:    make(chan batch, 16),
		snapReqC:  make(chan uint64, 1),
		sendc:     make(chan snapMessage, 16),
		stop:      make(chan struct{}),
		done:      make(chan struct{}),
		snapCount: snapCount,
	}
	go a.run()
	return a
}

// Ready is called by the log goroutine with entries that are committed.
func (a *Applier) Ready(es []record) {
	b := batch{entries: es, saved: make(chan struct{})}
	a.applyc <- b
	a.storage.append(es)
	a.committed.Store(es[len(es)-1].Index)
	close(b.saved)
}

// Installed is called by the log goroutine when a majority has a snapshot at
// the index.
func (a *Applier) Installed(index uint64) {
	if err := a.storage.compact(index); err != nil && err != errCompacted {
		panic(err)
	}
}

// RequestSnapshot asks for a snapshot for a slow follower.
func (a *Applier) RequestSnapshot(to uint64) {
	select {
	case a.snapReqC <- to:
	default:
	}
}

func (a *Applier) run() {
	defer close(a.done)
	ep := progress{}
	for {
		select {
		case b := <-a.applyc:
			a.applyBatch(&ep, &b)
		case <-a.stop:
			return
		}
	}
}

func (a *Applier) applyBatch(ep *progress, b *batch) {
	a.applyRecords(ep, b)
	<-b.saved
	if ep.lasti-ep.snapi > a.snapCount {
		ep.snapi = ep.lasti
	}
	select {
	case to := <-a.snapReqC:
		a.sendc <- a.buildSnap(to, ep.lasti)
	default:
	}
}

func (a *Applier) applyRecords(ep *progress, b *batch) {
	for _, e := range b.entries {
		if e.Index <= ep.lasti {
			continue
		}
		a.applyOne(e)
		ep.lasti = e.Index
	}
}

func (a *Applier) applyOne(e record) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state += e.Data
}

// Get returns the state.
func (a *Applier) Get() string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.state
}

func (a *Applier) buildSnap(to, snapi uint64) snapMessage {
	snapt, err := a.storage.term(snapi)
	if err != nil {
		panic(fmt.Sprintf("get term should never fail: %v", err))
	}
	a.mu.RLock()
	data := a.state
	a.mu.RUnlock()
	return snapMessage{To: to, Term: snapt, Index: snapi, Data: data}
}

// Stop ends the loop.
func (a *Applier) Stop() {
	close(a.stop)
	<-a.done
}

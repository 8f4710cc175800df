package server

import (
	"errors"
	"sync"
)

type EntryType uint8

const (
	EntryNormal EntryType = iota
	EntryPeerState
)

type entryOp uint8

const (
	streamMsgOp entryOp = iota
	batchMsgOp
	batchCommitMsgOp
)

var errStoreClosed = errors.New("store is closed")

type Entry struct {
	Type  EntryType
	Op    entryOp
	Batch string
	Seq   uint64
	Data  []byte
}

// CommittedEntry is handed back to the user to apply a commit to their FSM.
type CommittedEntry struct {
	Index   uint64
	Entries []*Entry
}

// Pool for CommittedEntry re-use.
var cePool = sync.Pool{
	New: func() any {
		return &CommittedEntry{}
	},
}

// Create a new CommittedEntry.
func newCommittedEntry(index uint64, entries []*Entry) *CommittedEntry {
	ce := cePool.Get().(*CommittedEntry)
	ce.Index, ce.Entries = index, entries
	return ce
}

// ReturnToPool returns the CommittedEntry to the pool, after which point
// it is no longer safe to reuse.
func (ce *CommittedEntry) ReturnToPool() {
	if ce == nil {
		return
	}
	ce.Index, ce.Entries = 0, nil
	cePool.Put(ce)
}

type batchApply struct {
	mu         sync.Mutex
	id         string            // ID of the current batch.
	count      uint64            // Number of entries in the batch, for consistency checks.
	entries    []*CommittedEntry // Previous entries that are part of this batch.
	entryStart int               // The index into an entry indicating the first message of the batch.
}

// clearBatchStateLocked clears in-memory apply-batch-related state.
// batch.mu lock should be held.
func (batch *batchApply) clearBatchStateLocked() {
	batch.id = ""
	batch.count = 0
	batch.entries = nil
	batch.entryStart = 0
}

// rejectBatchStateLocked rejects the batch and clears in-memory apply-batch-related state.
// Corrects mset.clfs to take the failed batch into account.
// batch.mu lock should be held.
func (batch *batchApply) rejectBatchStateLocked(mset *stream) {
	mset.clMu.Lock()
	mset.clfs += batch.count
	mset.clMu.Unlock()
	// We're rejecting the batch, so all entries need to be returned to the pool.
	for _, bce := range batch.entries {
		bce.ReturnToPool()
	}
	batch.clearBatchStateLocked()
}

func (batch *batchApply) rejectBatchState(mset *stream) {
	batch.mu.Lock()
	defer batch.mu.Unlock()
	batch.rejectBatchStateLocked(mset)
}

type stream struct {
	mu         sync.RWMutex
	clMu       sync.Mutex
	clfs       uint64
	batchApply *batchApply
	closed     bool
	msgs       [][]byte

	apply chan *CommittedEntry
	qch   chan struct{}
	once  sync.Once
}

func newStream() *stream {
	mset := &stream{
		apply: make(chan *CommittedEntry, 64),
		qch:   make(chan struct{}),
	}
	go mset.monitorStream()
	return mset
}

// Called by the raft layer with what has been committed.
func (mset *stream) commit(index uint64, entries []*Entry) {
	ce := newCommittedEntry(index, entries)
	select {
	case mset.apply <- ce:
	case <-mset.qch:
		ce.ReturnToPool()
	}
}

func (mset *stream) monitorStream() {
	for {
		select {
		case <-mset.qch:
			return
		case ce := <-mset.apply:
			inBatch, err := mset.applyStreamEntries(ce)
			if err != nil {
				mset.stop()
				return
			}
			if !inBatch {
				ce.ReturnToPool()
			}
		}
	}
}

// Apply our stream entries.
// Returns true if we are inside a batch, then the batch owns the entry.
func (mset *stream) applyStreamEntries(ce *CommittedEntry) (bool, error) {
	mset.mu.RLock()
	batch := mset.batchApply
	mset.mu.RUnlock()

	for i, e := range ce.Entries {
		if e.Type == EntryNormal && e.Op == batchMsgOp {
			// Initialize if unset.
			if batch == nil {
				batch = &batchApply{}
				mset.mu.Lock()
				mset.batchApply = batch
				mset.mu.Unlock()
			}
			batch.mu.Lock()
			// Previous batch (if any) was abandoned.
			if batch.id != "" && e.Batch != batch.id {
				batch.rejectBatchStateLocked(mset)
			}
			if e.Seq == 1 {
				// If this is the first message in the batch, need to mark the start index.
				batch.rejectBatchStateLocked(mset)
				batch.entryStart = i
			}
			batch.id = e.Batch
			batch.count++
			// If the sequence is not monotonically increasing/we identify gaps, the batch can't be accepted.
			if e.Seq != batch.count {
				batch.rejectBatchStateLocked(mset)
			}
			batch.mu.Unlock()
			continue
		}
		if e.Type == EntryNormal && e.Op == batchCommitMsgOp {
			if batch == nil {
				continue
			}
			// Ensure the whole batch is fully isolated, and reads
			// can only happen after the full batch is committed.
			mset.mu.Lock()
			batch.mu.Lock()
			if e.Batch != batch.id || e.Seq != batch.count+1 {
				batch.rejectBatchStateLocked(mset)
				batch.mu.Unlock()
				mset.mu.Unlock()
				continue
			}
			start := batch.entryStart
			for _, bce := range batch.entries {
				for _, be := range bce.Entries[start:] {
					mset.applyStreamMsgOp(be)
				}
				start = 0
				// Return the entry to the pool now.
				bce.ReturnToPool()
			}
			// Process remaining entries in the current entry.
			for _, be := range ce.Entries[start : i+1] {
				mset.applyStreamMsgOp(be)
			}
			// Clear state, batch was successful.
			batch.clearBatchStateLocked()
			batch.mu.Unlock()
			mset.mu.Unlock()
			continue
		}
		if batch != nil {
			// If a batch is abandoned without a commit, reject it.
			batch.rejectBatchState(mset)
		}
		if e.Type == EntryNormal {
			mset.mu.Lock()
			err := mset.applyStreamMsgOp(e)
			mset.mu.Unlock()
			if err != nil {
				return false, err
			}
		}
	}

	if batch != nil {
		batch.mu.Lock()
		defer batch.mu.Unlock()
		if batch.id != "" {
			batch.entries = append(batch.entries, ce)
			return true, nil
		}
	}
	return false, nil
}

// Lock should be held.
func (mset *stream) applyStreamMsgOp(e *Entry) error {
	if mset.closed {
		return errStoreClosed
	}
	mset.msgs = append(mset.msgs, e.Data)
	return nil
}

// Lock should be held.
func (mset *stream) deleteBatchApplyState() {
	if batch := mset.batchApply; batch != nil {
		// Need to return entries (if any) to the pool.
		batch.mu.Lock()
		for _, bce := range batch.entries {
			bce.ReturnToPool()
		}
		batch.clearBatchStateLocked()
		batch.mu.Unlock()
		mset.batchApply = nil
	}
}

// stop is called when the stream is deleted or the server shuts down.
func (mset *stream) stop() {
	mset.once.Do(func() { close(mset.qch) })
	mset.mu.Lock()
	defer mset.mu.Unlock()
	mset.closed = true
	mset.deleteBatchApplyState()
}

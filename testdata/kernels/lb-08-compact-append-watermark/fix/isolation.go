package tsdb

import (
	"sync"
)

// isolationState holds the isolation information.
type isolationState struct {
	// We will ignore all appends above the max, or that are incomplete.
	maxAppendID       uint64
	incompleteAppends map[uint64]struct{}
}

type isolationAppender struct {
	appendID uint64
	prev     *isolationAppender
	next     *isolationAppender
}

// isolation is the global isolation state.
type isolation struct {
	// Mutex for accessing lastAppendID and appendsOpen.
	appendMtx sync.RWMutex
	// Which appends are currently in progress.
	appendsOpen map[uint64]*isolationAppender
	// New appenders with higher appendID are added to the end. First element keeps lastAppendId.
	// appendsOpenList.next points to the first element and appendsOpenList.prev points to the last element.
	// If there are no appenders, both point back to appendsOpenList.
	appendsOpenList *isolationAppender
}

func newIsolation() *isolation {
	appender := &isolationAppender{}
	appender.next = appender
	appender.prev = appender

	return &isolation{
		appendsOpen:     map[uint64]*isolationAppender{},
		appendsOpenList: appender,
	}
}

// State returns an object used to control isolation
// between a query and appends.
func (i *isolation) State() *isolationState {
	i.appendMtx.RLock()
	defer i.appendMtx.RUnlock()

	isoState := &isolationState{
		maxAppendID:       i.appendsOpenList.appendID,
		incompleteAppends: make(map[uint64]struct{}, len(i.appendsOpen)),
	}
	for k := range i.appendsOpen {
		isoState.incompleteAppends[k] = struct{}{}
	}
	return isoState
}

// newAppendID increments the transaction counter and returns a new transaction
// ID. The first ID returned is 1.
func (i *isolation) newAppendID() uint64 {
	i.appendMtx.Lock()
	defer i.appendMtx.Unlock()

	// Last used appendID is stored in head element.
	i.appendsOpenList.appendID++

	app := &isolationAppender{
		appendID: i.appendsOpenList.appendID,
		prev:     i.appendsOpenList.prev,
		next:     i.appendsOpenList,
	}
	i.appendsOpenList.prev.next = app
	i.appendsOpenList.prev = app

	i.appendsOpen[app.appendID] = app
	return app.appendID
}

func (i *isolation) lastAppendID() uint64 {
	i.appendMtx.RLock()
	defer i.appendMtx.RUnlock()

	return i.appendsOpenList.appendID
}

// committedAppendID returns the highest appendID guaranteed to be committed
// at the time of the call. Any sample with appendID <= committedAppendID()
// has completed its commit path (its appender has called closeAppend), so it
// cannot appear in isolationState.incompleteAppends.
func (i *isolation) committedAppendID() uint64 {
	i.appendMtx.RLock()
	defer i.appendMtx.RUnlock()

	// appendsOpenList is a sentinel-headed ring; .next == sentinel means no open appenders,
	// in which case the sentinel's appendID stores the last issued ID.
	if i.appendsOpenList.next == i.appendsOpenList {
		return i.appendsOpenList.appendID
	}
	return i.appendsOpenList.next.appendID - 1
}

func (i *isolation) closeAppend(appendID uint64) {
	i.appendMtx.Lock()
	defer i.appendMtx.Unlock()

	app := i.appendsOpen[appendID]
	if app != nil {
		app.prev.next = app.next
		app.next.prev = app.prev

		delete(i.appendsOpen, appendID)
	}
}

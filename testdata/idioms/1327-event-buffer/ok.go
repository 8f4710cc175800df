package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Events is a set of events of one raft index. It is not modified.
type Events struct {
	Index  uint64
	Events []string
}

// bufferItem represents a set of events published by a single raft operation.
type bufferItem struct {
	Events *Events

	link *bufferLink
}

type bufferLink struct {
	// next is an atomically updated pointer to the next event in the buffer. It
	// is written exactly once by the single published and will always be set if
	// ch is closed.
	next atomic.Pointer[bufferItem]

	// nextCh is closed when the next event is published.
	nextCh chan struct{}

	// droppedCh is closed when the event is dropped from the buffer due to
	// sizing constraints.
	droppedCh chan struct{}
}

func newBufferItem(events *Events) *bufferItem {
	return &bufferItem{
		link: &bufferLink{
			nextCh:    make(chan struct{}),
			droppedCh: make(chan struct{}),
		},
		Events: events,
	}
}

// eventBuffer is a single-writer, multiple-reader buffer. Calls to Append that
// mutate the head must be externally synchronized.
type eventBuffer struct {
	size atomic.Int64

	head atomic.Pointer[bufferItem]
	tail atomic.Pointer[bufferItem]

	maxSize int64
}

func newEventBuffer(size int64) *eventBuffer {
	b := &eventBuffer{maxSize: size}
	item := newBufferItem(&Events{})
	b.head.Store(item)
	b.tail.Store(item)
	return b
}

// Append a set of events from one raft operation to the buffer and notify
// watchers. Append only supports a single concurrent caller and must be
// externally synchronized with other Append calls.
func (b *eventBuffer) Append(events *Events) {
	item := newBufferItem(events)

	// Store the next item to the old tail
	oldTail := b.tail.Load()
	oldTail.link.next.Store(item)

	// Update the tail to the new item
	b.tail.Store(item)

	// Increment the buffer size
	b.size.Add(1)

	// Advance Head until we are under allowable size
	for b.size.Load() > b.maxSize {
		b.advanceHead()
	}

	// notify waiters next event is available
	close(oldTail.link.nextCh)
}

// advanceHead drops the current Head buffer item and notifies readers
// that the item should be discarded by closing droppedCh. It is called by
// Append only, after the new item was linked.
func (b *eventBuffer) advanceHead() {
	old := b.head.Load()
	next := old.link.next.Load()

	// notify readers that old is being dropped
	close(old.link.droppedCh)

	// store the next value to head
	b.head.Store(next)
	b.size.Add(-1)
}

// Next return the next buffer item in the buffer. It may block until ctx is
// cancelled or until the next item is published.
func (i *bufferItem) Next(ctx context.Context, forceClose <-chan struct{}) (*bufferItem, error) {
	// See if there is already a next value, block if so.
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-forceClose:
		return nil, fmt.Errorf("subscription closed")
	case <-i.link.nextCh:
	}

	// Check if the reader is too slow and the event buffer as discarded the event
	select {
	case <-i.link.droppedCh:
		return nil, fmt.Errorf("event dropped from buffer")
	default:
	}

	// If channel closed, there must be a next item to read
	next := i.link.next.Load()
	if next == nil {
		// shouldn't be possible
		return nil, errors.New("invalid next item")
	}
	return next, nil
}

// EventBroker publishes the events to its subscribers.
type EventBroker struct {
	// mu protects the Append calls
	mu sync.Mutex

	eventBuf *eventBuffer
	closeCh  chan struct{}
}

func NewEventBroker(size int64) *EventBroker {
	return &EventBroker{eventBuf: newEventBuffer(size), closeCh: make(chan struct{})}
}

// Publish events to all subscribers of the event Topic.
func (e *EventBroker) Publish(events *Events) {
	if len(events.Events) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.eventBuf.Append(events)
}

// Subscribe calls fn with all events that are published from now on.
func (e *EventBroker) Subscribe(ctx context.Context, fn func(*Events)) error {
	for item := e.eventBuf.tail.Load(); ; {
		next, err := item.Next(ctx, e.closeCh)
		if err != nil {
			return err
		}
		fn(next.Events)
		item = next
	}
}

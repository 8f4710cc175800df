package stream

import (
	"context"
	"errors"
	"sync/atomic"
)

var (
	errSubscriptionClosed = errors.New("subscription closed")
	errEventDropped       = errors.New("event dropped from buffer")
)

// Events is a wrapper that contains a set of events for a given index.
type Events struct {
	Index  uint64
	Events []string
}

// eventBuffer is a single-writer, multiple-reader, fixed length concurrent
// buffer of events that have been published. The buffer is the head and tail
// of an atomically updated single-linked list.
type eventBuffer struct {
	size atomic.Int64

	head atomic.Pointer[bufferItem]
	tail atomic.Pointer[bufferItem]

	maxSize int64
}

// newEventBuffer creates an eventBuffer ready for use.
func newEventBuffer(size int64) *eventBuffer {
	b := &eventBuffer{maxSize: size}
	item := newBufferItem(&Events{Index: 0, Events: nil})
	b.head.Store(item)
	b.tail.Store(item)
	return b
}

// Append a set of events from one raft operation to the buffer and notify
// watchers. Append only supports a single concurrent caller and must be
// externally synchronized with other Append calls.
func (b *eventBuffer) Append(events *Events) {
	b.appendItem(newBufferItem(events))
}

func (b *eventBuffer) appendItem(item *bufferItem) {
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
// that the item should be discarded by closing droppedCh.
func (b *eventBuffer) advanceHead() {
	old := b.head.Load()
	next := old.link.next.Load()

	// notify readers that old is being dropped
	close(old.link.droppedCh)

	// store the next value to head
	b.head.Store(next)
	b.size.Add(-1)
}

// StartAtClosest returns the closest bufferItem to a requested starting
// index as well as the offset between the requested index and returned one.
func (b *eventBuffer) StartAtClosest(index uint64) (*bufferItem, int) {
	item := b.head.Load()
	if index <= item.Events.Index {
		return item, int(item.Events.Index) - int(index)
	}
	for {
		prev := item
		item = item.NextNoBlock()
		if item == nil {
			return prev, int(index) - int(prev.Events.Index)
		}
		if index <= item.Events.Index {
			return item, int(item.Events.Index) - int(index)
		}
	}
}

// bufferItem represents a set of events published by a single raft operation.
// Subscribers must not mutate the bufferItem or the Events inside as these are
// shared between all readers.
type bufferItem struct {
	Events *Events
	link   *bufferLink
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

// Next return the next buffer item in the buffer. It may block until ctx is
// cancelled or until the next item is published.
func (i *bufferItem) Next(ctx context.Context, forceClose <-chan struct{}) (*bufferItem, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-forceClose:
		return nil, errSubscriptionClosed
	case <-i.link.nextCh:
	}

	// Check if the reader is too slow and the event buffer as discarded the event
	// This must happen after the above select to prevent a random selection
	// between linkCh and droppedCh
	select {
	case <-i.link.droppedCh:
		return nil, errEventDropped
	default:
	}

	// If channel closed, there must be a next item to read
	return i.link.next.Load(), nil
}

// NextNoBlock returns the next item in the buffer without blocking. If it
// reaches the most recent item it will return nil.
func (i *bufferItem) NextNoBlock() *bufferItem { return i.link.next.Load() }

// EventBroker publishes the events of the FSM.
type EventBroker struct {
	eventBuf  *eventBuffer
	publishCh chan *Events
}

// NewEventBroker starts the only goroutine that appends to the buffer.
func NewEventBroker(ctx context.Context, size int64) *EventBroker {
	e := &EventBroker{
		eventBuf:  newEventBuffer(max(size, 1)),
		publishCh: make(chan *Events, 64),
	}
	go e.handleUpdates(ctx)
	return e
}

// Publish events to all subscribers of the event Topic.
func (e *EventBroker) Publish(events *Events) {
	if len(events.Events) == 0 {
		return
	}
	e.publishCh <- events
}

func (e *EventBroker) handleUpdates(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case update := <-e.publishCh:
			e.eventBuf.Append(update)
		}
	}
}

// Subscribe calls f with all the events from index on.
func (e *EventBroker) Subscribe(ctx context.Context, index uint64, closed <-chan struct{}, f func(*Events)) error {
	item, _ := e.eventBuf.StartAtClosest(index)
	for {
		f(item.Events)
		next, err := item.Next(ctx, closed)
		if err != nil {
			return err
		}
		item = next
	}
}

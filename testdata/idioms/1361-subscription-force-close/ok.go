package stream

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// ErrSubscriptionClosed is a error signalling the subscription has been
// closed. The client should Unsubscribe, then re-Subscribe.
var ErrSubscriptionClosed = errors.New("subscription closed by server, client should resubscribe")

const (
	// subscriptionStateOpen is the default state of a subscription. An open
	// subscription may receive new events.
	subscriptionStateOpen uint32 = 0

	// subscriptionStateClosed indicates that the subscription was closed, possibly
	// as a result of a change to an ACL token, and will not receive new events.
	subscriptionStateClosed uint32 = 1
)

// Event is immutable.
type Event struct {
	Topic string
	Key   string
}

// item is an element of a list to which one goroutine appends.
type item struct {
	events []Event
	next   atomic.Pointer[item]
	nextCh chan struct{}
}

func (i *item) Next(ctx context.Context, forceClose <-chan struct{}) (*item, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-forceClose:
		return nil, errors.New("subscription closed")
	case <-i.nextCh:
	}
	// Both may have been ready.
	select {
	case <-forceClose:
		return nil, errors.New("subscription closed")
	default:
	}
	return i.next.Load(), nil
}

// Subscription is used by one consumer.
type Subscription struct {
	// state must be accessed atomically 0 means open, 1 means closed with reload
	state atomic.Uint32

	topic string

	// currentItem stores the current buffer item we are on. It
	// is mutated by calls to Next.
	currentItem *item

	// forceClosed is closed when forceClose is called. It is used by
	// EventBroker to cancel Next().
	forceClosed chan struct{}
}

// Next returns the next events of the topic.
func (s *Subscription) Next(ctx context.Context) ([]Event, error) {
	if s.state.Load() == subscriptionStateClosed {
		return nil, ErrSubscriptionClosed
	}

	for {
		next, err := s.currentItem.Next(ctx, s.forceClosed)
		switch {
		case err != nil && s.state.Load() == subscriptionStateClosed:
			return nil, ErrSubscriptionClosed
		case err != nil:
			return nil, err
		}
		s.currentItem = next

		var events []Event
		for _, e := range next.events {
			if e.Topic == s.topic {
				events = append(events, e)
			}
		}
		if len(events) == 0 {
			continue
		}
		return events, nil
	}
}

func (s *Subscription) forceClose() {
	if s.state.CompareAndSwap(subscriptionStateOpen, subscriptionStateClosed) {
		close(s.forceClosed)
	}
}

// EventBroker hands events to subscriptions.
type EventBroker struct {
	mu      sync.Mutex
	tail    *item
	byToken map[string]map[*Subscription]struct{}
}

// NewEventBroker makes a broker without subscriptions.
func NewEventBroker() *EventBroker {
	return &EventBroker{tail: &item{nextCh: make(chan struct{})}, byToken: make(map[string]map[*Subscription]struct{})}
}

// Publish appends the events.
func (e *EventBroker) Publish(events []Event) {
	n := &item{events: events, nextCh: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	old := e.tail
	old.next.Store(n)
	e.tail = n
	close(old.nextCh)
}

// Subscribe returns the events that are published from now on.
func (e *EventBroker) Subscribe(token, topic string) *Subscription {
	e.mu.Lock()
	defer e.mu.Unlock()
	sub := &Subscription{topic: topic, currentItem: e.tail, forceClosed: make(chan struct{})}
	if e.byToken[token] == nil {
		e.byToken[token] = make(map[*Subscription]struct{})
	}
	e.byToken[token][sub] = struct{}{}
	return sub
}

// CloseToken closes the subscriptions of a token that has been deleted.
func (e *EventBroker) CloseToken(token string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for sub := range e.byToken[token] {
		sub.forceClose()
	}
	delete(e.byToken, token)
}

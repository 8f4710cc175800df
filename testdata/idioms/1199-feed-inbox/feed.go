package event

import "sync"

// TxFeed implements one-to-many subscriptions where the carrier of events is a channel.
// Values sent to a feed are delivered to all subscribed channels.
type TxFeed struct {
	once      sync.Once
	sendLock  chan struct{}   // sendLock has a one-element buffer and is empty when held. It protects subs.
	removeSub chan *TxFeedSub // interrupts Send
	subs      []*TxFeedSub    // the active set of subscriptions used by Send

	// The inbox holds newly subscribed channels until they are added to subs.
	mu    sync.Mutex
	inbox []*TxFeedSub
}

func (f *TxFeed) init() {
	f.removeSub = make(chan *TxFeedSub)
	f.sendLock = make(chan struct{}, 1)
	f.sendLock <- struct{}{}
}

// TxFeedSub is a subscription of a feed.
type TxFeedSub struct {
	feed    *TxFeed
	channel chan<- uint64
	errOnce sync.Once
	err     chan error
}

// Subscribe adds a channel to the feed. Future sends will be delivered on the channel
// until the subscription is canceled.
func (f *TxFeed) Subscribe(channel chan<- uint64) *TxFeedSub {
	f.once.Do(f.init)
	sub := &TxFeedSub{feed: f, channel: channel, err: make(chan error, 1)}

	f.mu.Lock()
	defer f.mu.Unlock()
	// Add the subscription to the inbox.
	// The next Send will add it to f.subs.
	f.inbox = append(f.inbox, sub)
	return sub
}

func find(subs []*TxFeedSub, sub *TxFeedSub) int {
	for i := range subs {
		if subs[i] == sub {
			return i
		}
	}
	return -1
}

func (f *TxFeed) remove(sub *TxFeedSub) {
	// Delete from inbox first, which covers channels
	// that have not been added to f.subs yet.
	f.mu.Lock()
	index := find(f.inbox, sub)
	if index != -1 {
		f.inbox = append(f.inbox[:index], f.inbox[index+1:]...)
		f.mu.Unlock()
		return
	}
	f.mu.Unlock()

	select {
	case f.removeSub <- sub:
		// Send will remove the channel from f.subs.
	case <-f.sendLock:
		// No Send is in progress, delete the channel now that we have the send lock.
		f.delete(sub)
		f.sendLock <- struct{}{}
	}
}

// delete needs the send lock.
func (f *TxFeed) delete(sub *TxFeedSub) {
	index := find(f.subs, sub)
	f.subs = append(f.subs[:index], f.subs[index+1:]...)
}

// Send delivers to all subscribed channels.
// It returns the number of subscribers that the value was sent to.
func (f *TxFeed) Send(value uint64) (nsent int) {
	f.once.Do(f.init)
	<-f.sendLock

	// Add new subscriptions from the inbox after taking the send lock.
	f.mu.Lock()
	f.subs = append(f.subs, f.inbox...)
	f.inbox = nil
	f.mu.Unlock()

	pending := append([]*TxFeedSub(nil), f.subs...)
	for len(pending) > 0 {
		select {
		case pending[0].channel <- value:
			nsent++
			pending = pending[1:]
		case sub := <-f.removeSub:
			f.delete(sub)
			if i := find(pending, sub); i >= 0 {
				pending = append(pending[:i], pending[i+1:]...)
			}
		}
	}

	// Hand off the send lock.
	f.sendLock <- struct{}{}
	return nsent
}

// Unsubscribe stops the delivery of events.
func (sub *TxFeedSub) Unsubscribe() {
	sub.errOnce.Do(func() {
		sub.feed.remove(sub)
		close(sub.err)
	})
}

// Err is closed when the subscription is canceled.
func (sub *TxFeedSub) Err() <-chan error {
	return sub.err
}

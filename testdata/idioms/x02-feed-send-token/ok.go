// Package ok delivers values to subscribers.
package ok

import (
	"slices"
	"sync"
)

// Feed delivers each value to all subscribers.
type Feed struct {
	once      sync.Once
	sendLock  chan struct{} // holding the token means owning sendCases
	removeSub chan chan int // interrupts Send
	sendCases []chan int

	mu    sync.Mutex
	inbox []chan int
}

func (f *Feed) init() {
	f.removeSub = make(chan chan int)
	f.sendLock = make(chan struct{}, 1)
	f.sendLock <- struct{}{}
}

// Subscribe adds a channel. It takes part from the next Send on.
func (f *Feed) Subscribe(ch chan int) {
	f.once.Do(f.init)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inbox = append(f.inbox, ch)
}

// Unsubscribe removes a channel.
func (f *Feed) Unsubscribe(ch chan int) {
	// Delete from inbox first, which covers channels that have not been added
	// to f.sendCases yet.
	f.mu.Lock()
	if i := slices.Index(f.inbox, ch); i >= 0 {
		f.inbox = slices.Delete(f.inbox, i, i+1)
		f.mu.Unlock()
		return
	}
	f.mu.Unlock()

	select {
	case f.removeSub <- ch:
		// Send will remove the channel from f.sendCases.
	case <-f.sendLock:
		// No Send is in progress, delete the channel now that we have the token.
		if i := slices.Index(f.sendCases, ch); i >= 0 {
			f.sendCases = slices.Delete(f.sendCases, i, i+1)
		}
		f.sendLock <- struct{}{}
	}
}

// Send delivers to all subscribed channels.
func (f *Feed) Send(value int) (nsent int) {
	f.once.Do(f.init)
	<-f.sendLock

	// Add new cases from the inbox after taking the send lock.
	f.mu.Lock()
	f.sendCases = append(f.sendCases, f.inbox...)
	f.inbox = nil
	f.mu.Unlock()

	for i := 0; i < len(f.sendCases); {
		select {
		case f.sendCases[i] <- value:
			nsent++
			i++
		case ch := <-f.removeSub:
			if j := slices.Index(f.sendCases, ch); j >= 0 {
				f.sendCases = slices.Delete(f.sendCases, j, j+1)
				if j < i {
					i--
				}
			}
		}
	}
	f.sendLock <- struct{}{}
	return nsent
}

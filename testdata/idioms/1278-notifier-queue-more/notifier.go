package notifier

import (
	"context"
	"log"
	"sync"
	"sync/atomic"
)

const (
	maxBatchSize = 64
)

// Alert is a generic representation of an alert in the Prometheus eco-system.
type Alert struct {
	Name   string
	Labels map[string]string
}

// Manager is responsible for dispatching alert notifications to an
// alert manager service.
type Manager struct {
	queue []*Alert
	cap   int

	dropped atomic.Uint64
	sent    atomic.Uint64

	more chan struct{}
	mtx  sync.RWMutex

	stopOnce      sync.Once
	stopRequested chan struct{}

	sendAll func(ctx context.Context, alerts ...*Alert) bool
}

// NewManager is the manager constructor.
func NewManager(queueCapacity int, sendAll func(context.Context, ...*Alert) bool) *Manager {
	return &Manager{
		queue:         make([]*Alert, 0, queueCapacity),
		cap:           queueCapacity,
		more:          make(chan struct{}, 1),
		stopRequested: make(chan struct{}),
		sendAll:       sendAll,
	}
}

func (n *Manager) queueLen() int {
	n.mtx.RLock()
	defer n.mtx.RUnlock()

	return len(n.queue)
}

func (n *Manager) nextBatch() []*Alert {
	n.mtx.Lock()
	defer n.mtx.Unlock()

	var alerts []*Alert

	if len(n.queue) > maxBatchSize {
		alerts = append(make([]*Alert, 0, maxBatchSize), n.queue[:maxBatchSize]...)
		n.queue = n.queue[maxBatchSize:]
	} else {
		alerts = append(make([]*Alert, 0, len(n.queue)), n.queue...)
		n.queue = n.queue[:0]
	}

	return alerts
}

// Run dispatches notifications continuously, returning once Stop has been called.
func (n *Manager) Run() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	go func() {
		<-n.stopRequested
		cancel()
	}()
	n.sendLoop(ctx)
	if l := n.queueLen(); l > 0 {
		log.Printf("%d alerts were not sent", l)
	}
}

// sendLoop continuously consumes the notifications queue and sends alerts to
// the configured Alertmanagers.
func (n *Manager) sendLoop(ctx context.Context) {
	for {
		select {
		case <-n.stopRequested:
			return
		case <-n.more:
			n.sendOneBatch(ctx)

			// If the queue still has items left, kick off the next iteration.
			if n.queueLen() > 0 {
				n.setMore()
			}
		}
	}
}

func (n *Manager) sendOneBatch(ctx context.Context) {
	alerts := n.nextBatch()
	if len(alerts) == 0 {
		return
	}
	if !n.sendAll(ctx, alerts...) {
		n.dropped.Add(uint64(len(alerts)))
		return
	}
	n.sent.Add(uint64(len(alerts)))
}

// Send queues the given notification requests for processing.
// Panics if called on a handler that is not running.
func (n *Manager) Send(alerts ...*Alert) {
	n.mtx.Lock()
	defer n.mtx.Unlock()

	if len(alerts) == 0 {
		return
	}

	// Queue capacity should be significantly larger than a single alert
	// batch could be.
	if d := len(alerts) - n.cap; d > 0 {
		alerts = alerts[d:]
		n.dropped.Add(uint64(d))
	}

	// If the queue is full, remove the oldest alerts in favor
	// of newer ones.
	if d := (len(n.queue) + len(alerts)) - n.cap; d > 0 {
		n.queue = n.queue[d:]
		n.dropped.Add(uint64(d))
	}
	n.queue = append(n.queue, alerts...)

	// Notify sending goroutine that there are alerts to be processed.
	n.setMore()
}

// setMore signals that the alert queue has items.
func (n *Manager) setMore() {
	// If we cannot send on the channel, it means the signal already exists
	// and has not been consumed yet.
	select {
	case n.more <- struct{}{}:
	default:
	}
}

// Stop signals the notification manager to shut down and immediately returns.
// Run will return once the notification manager has successfully shut down.
// Stop is safe to call multiple times.
func (n *Manager) Stop() {
	n.stopOnce.Do(func() {
		close(n.stopRequested)
	})
}

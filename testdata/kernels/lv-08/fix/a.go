// Package server handles the events of containers.
package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

const (
	backOffInitDuration  = 1 * time.Second
	backOffMaxDuration   = 5 * time.Minute
	backOffCheckDuration = 1 * time.Second
)

// Envelope is an event as it comes from the runtime.
type Envelope struct {
	ContainerID string
	Topic       string
}

// Subscriber is the source of events.
type Subscriber interface {
	Subscribe(ctx context.Context) (<-chan *Envelope, <-chan error)
}

type eventMonitor struct {
	handle  func(e *Envelope) error
	ch      <-chan *Envelope
	errCh   <-chan error
	ctx     context.Context
	cancel  context.CancelFunc
	backOff *backOff
}

type backOff struct {
	queuePool map[string]*backOffQueue // only used by the loop of the monitor

	// tickerMu is mutex used to protect the ticker.
	tickerMu sync.Mutex
	ticker   *time.Ticker
}

type backOffQueue struct {
	events     []*Envelope
	expireTime time.Time
	duration   time.Duration
}

func newEventMonitor(handle func(e *Envelope) error) *eventMonitor {
	ctx, cancel := context.WithCancel(context.Background())
	return &eventMonitor{
		handle:  handle,
		ctx:     ctx,
		cancel:  cancel,
		backOff: &backOff{queuePool: make(map[string]*backOffQueue)},
	}
}

// start starts the event monitor which monitors and handles all container events. It returns
// a channel for the caller to wait for the event monitor to stop.
func (em *eventMonitor) start() (<-chan struct{}, error) {
	if em.ch == nil || em.errCh == nil {
		return nil, errors.New("event channel is nil")
	}
	closeCh := make(chan struct{})
	backOffCheckCh := em.backOff.start()
	go func() {
		for {
			select {
			case e := <-em.ch:
				if em.backOff.isInBackOff(e.ContainerID) {
					em.backOff.enBackOff(e.ContainerID, e)
					break
				}
				if err := em.handle(e); err != nil {
					fmt.Fprintf(os.Stderr, "Failed to handle event %+v: %v\n", e, err)
					em.backOff.enBackOff(e.ContainerID, e)
				}
			case err := <-em.errCh:
				if err != nil {
					fmt.Fprintln(os.Stderr, "Failed to handle event stream:", err)
				}
				close(closeCh)
				return
			case <-backOffCheckCh:
				for _, id := range em.backOff.getExpiredContainers() {
					q := em.backOff.deBackOff(id)
					for i, e := range q.events {
						if err := em.handle(e); err != nil {
							em.backOff.reBackOff(id, q.events[i:], min(2*q.duration, backOffMaxDuration))
							break
						}
					}
				}
			}
		}
	}()
	return closeCh, nil
}

// stop stops the event monitor. It will close the event channel.
func (em *eventMonitor) stop() {
	em.backOff.stop()
	em.cancel()
}

func (b *backOff) getExpiredContainers() []string {
	var containers []string
	for c, q := range b.queuePool {
		if time.Now().After(q.expireTime) {
			containers = append(containers, c)
		}
	}
	return containers
}

func (b *backOff) isInBackOff(key string) bool {
	_, ok := b.queuePool[key]
	return ok
}

func (b *backOff) enBackOff(key string, e *Envelope) {
	if q, ok := b.queuePool[key]; ok {
		q.events = append(q.events, e)
		return
	}
	b.reBackOff(key, []*Envelope{e}, backOffInitDuration)
}

func (b *backOff) deBackOff(key string) *backOffQueue {
	q := b.queuePool[key]
	delete(b.queuePool, key)
	return q
}

func (b *backOff) reBackOff(key string, events []*Envelope, d time.Duration) {
	b.queuePool[key] = &backOffQueue{events: events, duration: d, expireTime: time.Now().Add(d)}
}

func (b *backOff) start() <-chan time.Time {
	b.tickerMu.Lock()
	defer b.tickerMu.Unlock()
	b.ticker = time.NewTicker(backOffCheckDuration)
	return b.ticker.C
}

func (b *backOff) stop() {
	b.tickerMu.Lock()
	defer b.tickerMu.Unlock()
	if b.ticker != nil {
		b.ticker.Stop()
	}
}

// Service is the plugin.
type Service struct {
	monitor *eventMonitor
}

// NewService returns a service that passes events to handle.
func NewService(handle func(e *Envelope) error) *Service {
	return &Service{monitor: newEventMonitor(handle)}
}

// Run handles events until Close is called or done is closed.
func (c *Service) Run(s Subscriber, done <-chan struct{}) error {
	c.monitor.ch, c.monitor.errCh = s.Subscribe(c.monitor.ctx)
	closeCh, err := c.monitor.start()
	if err != nil {
		return err
	}
	select {
	case <-done:
		c.monitor.stop()
		<-closeCh
	case <-closeCh:
		c.monitor.stop()
	}
	return nil
}

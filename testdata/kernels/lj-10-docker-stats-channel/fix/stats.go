package docker

import (
	"context"
	"errors"
	"io"
	"log"
	"sync"
	"time"
)

const (
	// statsCollectorBackoffBaseline is the baseline time for exponential
	// backoff while calling the docker stats api.
	statsCollectorBackoffBaseline = 5 * time.Second

	// statsCollectorBackoffLimit is the limit of the exponential backoff for
	// calling the docker stats api.
	statsCollectorBackoffLimit = 2 * time.Minute
)

// Stats is a sample of the docker daemon.
type Stats struct {
	Read       time.Time
	RSS, Cache uint64
	CPUTotal   uint64
}

// StatsOptions are the arguments of a stats stream.
type StatsOptions struct {
	ID      string
	Context context.Context
	Done    <-chan struct{}
	Stats   chan<- *Stats
	Stream  bool
}

// Client talks to the docker daemon.
type Client interface {
	// Stats blocks until the stream has ended. The channel is written and
	// closed by a goroutine of the client, which may be after Stats has returned.
	Stats(opts StatsOptions) error
	Kill(id string) error
}

// TaskResourceUsage holds aggregated resource usage of all processes in a Task
type TaskResourceUsage struct {
	Timestamp int64
	RSS       uint64
	Cache     uint64
	CPU       uint64
}

type taskHandle struct {
	client      Client
	containerID string
	doneCh      chan struct{}
	waitCh      chan struct{}
}

func newTaskHandle(client Client, id string, exited <-chan struct{}) *taskHandle {
	h := &taskHandle{client: client, containerID: id, doneCh: make(chan struct{}), waitCh: make(chan struct{})}
	go h.run(exited)
	return h
}

// run waits for the container to stop.
func (h *taskHandle) run(exited <-chan struct{}) {
	<-exited
	// Shutdown stats collection
	close(h.doneCh)
	close(h.waitCh)
}

func (h *taskHandle) Kill() error {
	if err := h.client.Kill(h.containerID); err != nil {
		return err
	}
	<-h.waitCh
	return nil
}

// usageSender wraps a TaskResourceUsage chan such that it supports concurrent
// sending and closing.
type usageSender struct {
	closed bool
	destCh chan<- *TaskResourceUsage
	mu     sync.Mutex
}

// newDestChPair returns a destCh that supports concurrent sending and closing,
// and the receiver end of the chan.
func newDestChPair() (*usageSender, <-chan *TaskResourceUsage) {
	destCh := make(chan *TaskResourceUsage, 1)
	return &usageSender{
		destCh: destCh,
	}, destCh
}

// send resource usage to the receiver unless the chan is already full or
// closed.
func (u *usageSender) send(tru *TaskResourceUsage) {
	u.mu.Lock()
	defer u.mu.Unlock()

	if u.closed {
		return
	}

	select {
	case u.destCh <- tru:
	default:
		// Backpressure caused missed interval
	}
}

// close resource usage. Any further sends will be dropped.
func (u *usageSender) close() {
	u.mu.Lock()
	defer u.mu.Unlock()

	if u.closed {
		// already closed
		return
	}

	u.closed = true
	close(u.destCh)
}

// Stats starts collecting stats from the docker daemon and sends them on the
// returned channel.
func (h *taskHandle) Stats(ctx context.Context, interval time.Duration) (<-chan *TaskResourceUsage, error) {
	select {
	case <-h.doneCh:
		return nil, errors.New("container stopped")
	default:
	}

	destCh, recvCh := newDestChPair()
	go h.collectStats(ctx, destCh, interval)
	return recvCh, nil
}

// collectStats starts collecting resource usage stats of a docker container
func (h *taskHandle) collectStats(ctx context.Context, destCh *usageSender, interval time.Duration) {
	defer destCh.close()

	// backoff and retry used if the docker stats API returns an error
	var backoff time.Duration
	var retry int
	// loops until doneCh is closed
	for {
		if backoff > 0 {
			select {
			case <-time.After(backoff):
			case <-ctx.Done():
				return
			case <-h.doneCh:
				return
			}
		}
		// make a channel for docker stats structs and start a collector to
		// receive stats from docker and emit nomad stats
		// statsCh will always be closed by docker client.
		statsCh := make(chan *Stats)
		go dockerStatsCollector(destCh, statsCh, interval)

		statsOpts := StatsOptions{
			ID:      h.containerID,
			Context: ctx,
			Done:    h.doneCh,
			Stats:   statsCh,
			Stream:  true,
		}

		// Stats blocks until an error has occurred, or doneCh has been closed
		if err := h.client.Stats(statsOpts); err != nil && err != io.ErrClosedPipe {
			// An error occurred during stats collection, retry with backoff
			log.Printf("error collecting stats from container: %v", err)

			// Calculate the new backoff
			backoff = (1 << (2 * uint64(retry))) * statsCollectorBackoffBaseline
			if backoff > statsCollectorBackoffLimit {
				backoff = statsCollectorBackoffLimit
			}
			// Increment retry counter
			retry++
			continue
		}
		// Stats finished either because context was canceled, doneCh was closed
		// or the container stopped. Stop stats collections.
		return
	}
}

func dockerStatsCollector(destCh *usageSender, statsCh <-chan *Stats, interval time.Duration) {
	var resourceUsage *TaskResourceUsage

	// hasSentInitialStats is used so as to emit the first stats received from
	// the docker daemon
	var hasSentInitialStats bool

	// timer is used to send nomad status at the specified interval
	timer := time.NewTimer(interval)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			// it is possible for the timer to go off before the first stats
			// has been emitted from docker
			if resourceUsage == nil {
				continue
			}
			// sending to destCh could block, drop this interval if it does
			destCh.send(resourceUsage)
			timer.Reset(interval)
		case s, ok := <-statsCh:
			// if statsCh is closed stop collection
			if !ok {
				return
			}
			// s should always be set, but check and skip just in case
			if s != nil {
				resourceUsage = dockerStatsToTaskResourceUsage(s)
				// send stats next interation if this is the first time received
				// from docker
				if !hasSentInitialStats {
					timer.Reset(0)
					hasSentInitialStats = true
				}
			}
		}
	}
}

func dockerStatsToTaskResourceUsage(s *Stats) *TaskResourceUsage {
	return &TaskResourceUsage{Timestamp: s.Read.UnixNano(), RSS: s.RSS, Cache: s.Cache, CPU: s.CPUTotal}
}

// Package transcode converts uploaded videos and logs its own load.
package transcode

import (
	"context"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Clip is a queued video.
type Clip struct {
	Path    string
	Profile string
}

// Encoder converts one clip.
type Encoder interface {
	Encode(ctx context.Context, c Clip) error
}

// backlog is a bounded FIFO.
type backlog struct {
	mu    sync.Mutex
	clips []Clip
	limit int
}

func (b *backlog) add(c Clip) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.clips) >= b.limit {
		return false
	}
	b.clips = append(b.clips, c)
	return true
}

func (b *backlog) take() (Clip, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.clips) == 0 {
		return Clip{}, false
	}
	c := b.clips[0]
	b.clips = b.clips[1:]
	return c, true
}

func (b *backlog) size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.clips)
}

// Service is fed by the upload handlers.
type Service struct {
	enc     Encoder
	backlog backlog
	ready   chan struct{} // capacity backlog.limit: one token per clip

	busy   atomic.Int64
	ok     atomic.Int64
	failed atomic.Int64
}

// Start runs the given number of encoders.
func Start(ctx context.Context, enc Encoder, encoders, limit int) *Service {
	s := &Service{enc: enc, backlog: backlog{limit: limit}, ready: make(chan struct{}, limit)}
	for range encoders {
		go s.work(ctx)
	}
	go s.report(ctx, encoders)
	return s
}

// Submit queues a clip; it reports false when the service is overloaded.
func (s *Service) Submit(c Clip) bool {
	if !s.backlog.add(c) {
		log.Printf("transcode: backlog full, %d clips waiting, %d in work", s.backlog.size(), s.busy.Load())
		return false
	}
	s.ready <- struct{}{}
	return true
}

func (s *Service) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.ready:
		}
		c, ok := s.backlog.take()
		if !ok {
			continue
		}
		s.busy.Add(1)
		if err := s.enc.Encode(ctx, c); err != nil {
			s.failed.Add(1)
			log.Printf("transcode: %s: %v", c.Path, err)
		} else {
			s.ok.Add(1)
		}
		s.busy.Add(-1)
	}
}

// report prints the load once a minute.
func (s *Service) report(ctx context.Context, encoders int) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		waiting := s.backlog.size()
		busy := s.busy.Load()
		finished := s.ok.Load() + s.failed.Load()
		if waiting > 0 && busy < int64(encoders) {
			log.Printf("transcode: %d clips wait although only %d of %d encoders are busy", waiting, busy, encoders)
		}
		log.Printf("transcode: %d waiting, %d in work, %d finished, %d failed", waiting, busy, finished, s.failed.Load())
	}
}

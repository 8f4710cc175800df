// Package a mixes the audio of a voice conference.
package a

import (
	"context"
	"errors"
	"log/slog"
	"sync"
)

// ErrClosed is returned after the conference has ended.
var ErrClosed = errors.New("mixer: conference has ended")

// Frame is 20 ms of mono audio of one participant.
type Frame struct {
	From string
	PCM  [160]int16
}

// Output receives the mixed audio.
type Output interface {
	Play(pcm [160]int16)
}

// Mixer sums up the frames of all participants.
type Mixer struct {
	out Output
	log *slog.Logger

	mu     sync.Mutex
	more   *sync.Cond
	frames []Frame
	closed bool
	done   chan struct{}
}

// NewMixer starts a mixer. The conference ends with ctx.
func NewMixer(ctx context.Context, out Output, log *slog.Logger) *Mixer {
	m := &Mixer{out: out, log: log, done: make(chan struct{})}
	m.more = sync.NewCond(&m.mu)
	go m.run()
	context.AfterFunc(ctx, m.Close)
	return m
}

// Push queues a frame.
func (m *Mixer) Push(f Frame) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	m.frames = append(m.frames, f)
	m.more.Signal()
	return nil
}

// Close ends the conference; what is queued is still played.
func (m *Mixer) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.more.Broadcast()
}

// Wait blocks until the last frame was played.
func (m *Mixer) Wait() { <-m.done }

// take waits for frames and returns them, and whether more can follow.
func (m *Mixer) take() ([]Frame, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.frames) == 0 && !m.closed {
		m.more.Wait()
	}
	fs := m.frames
	m.frames = nil
	return fs, !m.closed
}

func (m *Mixer) run() {
	defer close(m.done)
	for open := true; open; {
		var fs []Frame
		fs, open = m.take()
		if len(fs) > 0 {
			m.out.Play(mix(fs))
		}
	}
	m.log.Info("conference ended")
}

func mix(fs []Frame) (pcm [160]int16) {
	var sum [160]int32
	for i := range fs {
		for j, s := range fs[i].PCM {
			sum[j] += int32(s)
		}
	}
	for j, s := range sum {
		pcm[j] = int16(max(-32768, min(32767, s)))
	}
	return pcm
}

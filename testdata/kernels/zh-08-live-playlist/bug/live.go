// Package live serves a sliding window of media segments over HTTP.
package live

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"
)

// window keeps the last max values that were pushed and numbers them.
type window[T any] struct {
	max int

	mu    sync.RWMutex
	first uint64
	items []T
}

func newWindow[T any](max int) *window[T] {
	return &window[T]{max: max}
}

// push adds a value and lets the oldest one go when the window is full.
func (w *window[T]) push(v T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.items = append(w.items, v)
	if len(w.items) > w.max {
		w.items = append([]T(nil), w.items[1:]...)
		w.first++
	}
}

// First is the number of the oldest value in the window.
func (w *window[T]) First() uint64 {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.first
}

// Items returns the values in the window, oldest first.
func (w *window[T]) Items() []T {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return append([]T(nil), w.items...)
}

// Segment is a finished piece of the stream.
type Segment struct {
	Name     string
	Duration time.Duration
	Data     []byte
}

// Stream is one live stream with any number of viewers.
type Stream struct {
	window *window[*Segment]
	ready  chan struct{}
	once   sync.Once
}

// NewStream returns a stream that offers the last n segments.
func NewStream(n int) *Stream {
	return &Stream{window: newWindow[*Segment](n), ready: make(chan struct{})}
}

// Run takes segments from the packager until the context ends.
func (s *Stream) Run(ctx context.Context, in <-chan *Segment) {
	for {
		select {
		case <-ctx.Done():
			return
		case seg, ok := <-in:
			if !ok {
				return
			}
			s.window.push(seg)
			s.once.Do(func() { close(s.ready) })
		}
	}
}

// ServeHTTP answers requests for the playlist and for segments.
func (s *Stream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.ready:
	case <-r.Context().Done():
		return
	}
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	if name == "index.m3u8" {
		s.servePlaylist(w)
		return
	}
	for _, seg := range s.window.Items() {
		if seg.Name == name {
			w.Header().Set("Content-Type", "video/mp2t")
			_, _ = w.Write(seg.Data)
			return
		}
	}
	http.NotFound(w, r)
}

// servePlaylist writes the media playlist of the current window.
func (s *Stream) servePlaylist(w http.ResponseWriter) {
	segs := s.window.Items()
	var target time.Duration
	for _, seg := range segs {
		target = max(target, seg.Duration)
	}
	var b bytes.Buffer
	b.WriteString("#EXTM3U\n#EXT-X-VERSION:3\n")
	fmt.Fprintf(&b, "#EXT-X-TARGETDURATION:%d\n", int(math.Ceil(target.Seconds())))
	fmt.Fprintf(&b, "#EXT-X-MEDIA-SEQUENCE:%d\n", s.window.First())
	for _, seg := range segs {
		fmt.Fprintf(&b, "#EXTINF:%.3f,\n%s\n", seg.Duration.Seconds(), seg.Name)
	}
	w.Header().Set("Content-Type", "application/vnd.apple.mpegurl")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(b.Bytes())
}

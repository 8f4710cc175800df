package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
)

// StreamFrame is a piece of a file.
type StreamFrame struct {
	Offset int64  `json:",omitempty"`
	File   string `json:",omitempty"`
	Data   []byte `json:",omitempty"`
}

// StreamFramer is used to buffer and send frames as well as heartbeats.
type StreamFramer struct {
	out     io.WriteCloser
	enc     *json.Encoder
	encLock sync.Mutex

	heartbeat, flusher *time.Ticker
	shutdownCh, exitCh chan struct{}

	// The mutex protects everything below
	l sync.Mutex

	// The current working frame
	f    StreamFrame
	data bytes.Buffer

	// Captures whether the framer is running and any error that occurred to
	// cause it to stop.
	running bool
	err     error
}

// NewStreamFramer creates a new stream framer that will output frames to out.
func NewStreamFramer(out io.WriteCloser, heartbeatRate, batchWindow time.Duration) *StreamFramer {
	return &StreamFramer{
		out:        out,
		enc:        json.NewEncoder(out),
		heartbeat:  time.NewTicker(heartbeatRate),
		flusher:    time.NewTicker(batchWindow),
		shutdownCh: make(chan struct{}),
		exitCh:     make(chan struct{}),
	}
}

// Destroy is used to clean up the StreamFramer and flush any pending frames.
func (s *StreamFramer) Destroy() {
	s.l.Lock()
	close(s.shutdownCh)
	s.heartbeat.Stop()
	s.flusher.Stop()
	s.l.Unlock()

	// Ensure things were flushed
	<-s.exitCh
	s.out.Close()
}

// Run starts a long lived goroutine that handles sending data as well as
// heartbeating.
func (s *StreamFramer) Run() {
	s.l.Lock()
	defer s.l.Unlock()
	if s.running {
		return
	}
	s.running = true
	go s.run()
}

// ExitCh returns a channel that will be closed when the run loop terminates.
func (s *StreamFramer) ExitCh() <-chan struct{} { return s.exitCh }

// Err returns the error that caused the StreamFramer to exit.
func (s *StreamFramer) Err() error {
	s.l.Lock()
	defer s.l.Unlock()
	return s.err
}

// run exits if Destroy is called or an error occurs, in which case the exit
// channel is closed.
func (s *StreamFramer) run() {
	var err error
	defer func() {
		close(s.exitCh)
		s.l.Lock()
		s.running = false
		s.err = err
		s.l.Unlock()
	}()

OUTER:
	for {
		select {
		case <-s.shutdownCh:
			break OUTER
		case <-s.flusher.C:
			if err = s.flush(); err != nil {
				return
			}
		case <-s.heartbeat.C:
			// Send a heartbeat frame
			if err = s.send(&StreamFrame{}); err != nil {
				return
			}
		}
	}
	err = s.flush()
}

func (s *StreamFramer) flush() error {
	s.l.Lock()
	defer s.l.Unlock()
	if s.data.Len() == 0 {
		return nil
	}
	s.f.Data = s.data.Next(s.data.Len())
	return s.send(&s.f)
}

// send takes a StreamFrame, encodes and sends it.
func (s *StreamFramer) send(f *StreamFrame) error {
	s.encLock.Lock()
	defer s.encLock.Unlock()
	return s.enc.Encode(f)
}

// Send adds data at an offset of a file. An error is returned if the run routine
// hasn't run or encountered an error.
func (s *StreamFramer) Send(file string, data []byte, offset int64) error {
	s.l.Lock()
	defer s.l.Unlock()
	if !s.running {
		if s.err != nil {
			return s.err
		}
		return errors.New("StreamFramer not running")
	}
	if s.data.Len() == 0 {
		s.f.Offset, s.f.File = offset, file
	}
	s.data.Write(data)
	return nil
}

package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// StreamFrame is used to frame data of a file when streaming
type StreamFrame struct {
	Offset    int64  `json:",omitempty"`
	Data      []byte `json:",omitempty"`
	File      string `json:",omitempty"`
	FileEvent string `json:",omitempty"`
}

// StreamFramer is used to buffer and send frames as well as heartbeat.
type StreamFramer struct {
	out        io.WriteCloser
	enc        *json.Encoder
	encLock    sync.Mutex
	frameSize  int
	heartbeat  *time.Ticker
	flusher    *time.Ticker
	shutdownCh chan struct{}
	exitCh     chan struct{}

	// The mutex protects everything below
	l sync.Mutex

	// The current working frame
	f    *StreamFrame
	data *bytes.Buffer

	// Captures whether the framer is running and any error that occurred to
	// cause it to stop.
	running bool
	err     error
}

// NewStreamFramer creates a new stream framer that will output StreamFrames to
// the passed output.
func NewStreamFramer(out io.WriteCloser, heartbeatRate, batchWindow time.Duration, frameSize int) *StreamFramer {
	return &StreamFramer{
		out:       out,
		enc:       json.NewEncoder(out),
		frameSize: frameSize,
		heartbeat: time.NewTicker(heartbeatRate),
		flusher:   time.NewTicker(batchWindow),

		data:       bytes.NewBuffer(make([]byte, 0, 2*frameSize)),
		shutdownCh: make(chan struct{}),
		exitCh:     make(chan struct{}),
	}
}

// Destroy is used to cleanup the StreamFramer and flush any pending frames. It
// is called once, by the handler of the request.
func (s *StreamFramer) Destroy() {
	s.l.Lock()
	close(s.shutdownCh)
	s.heartbeat.Stop()
	s.flusher.Stop()
	running := s.running
	s.l.Unlock()

	// Ensure things were flushed
	if running {
		<-s.exitCh
	}
	s.out.Close()
}

// Run starts a long lived goroutine that handles sending data as well as
// heartbeating
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
func (s *StreamFramer) ExitCh() <-chan struct{} {
	return s.exitCh
}

// run is the internal run method. It exits if Destroy is called or an error
// occurs, in which case the exit channel is closed.
func (s *StreamFramer) run() {
	// Store any error and mark it as not running
	var err error
	defer func() {
		close(s.exitCh)

		s.l.Lock()
		s.err = err
		s.running = false
		s.l.Unlock()
	}()

OUTER:
	for {
		select {
		case <-s.shutdownCh:
			break OUTER
		case <-s.flusher.C:
			// Skip if there is nothing to flush
			s.l.Lock()
			if s.f == nil {
				s.l.Unlock()
				continue
			}

			// Read the data for the frame, and send it
			s.f.Data = s.readData()
			err = s.send(s.f)
			s.f = nil
			s.l.Unlock()
			if err != nil {
				return
			}
		case <-s.heartbeat.C:
			// Send a heartbeat frame
			if err = s.send(&StreamFrame{}); err != nil {
				return
			}
		}
	}

	s.l.Lock()
	if s.f != nil {
		s.f.Data = s.readData()
		err = s.send(s.f)
		s.f = nil
	}
	s.l.Unlock()
}

// send takes a StreamFrame, encodes and sends it
func (s *StreamFramer) send(f *StreamFrame) error {
	s.encLock.Lock()
	defer s.encLock.Unlock()
	return s.enc.Encode(f)
}

// readData is a helper which reads the buffered data returning up to the frame
// size of data. Must be called with the lock held.
func (s *StreamFramer) readData() []byte {
	// Compute the amount to read from the buffer
	size := s.data.Len()
	if size > s.frameSize {
		size = s.frameSize
	}
	if size == 0 {
		return nil
	}
	d := s.data.Next(size)
	b := make([]byte, size)
	copy(b, d)
	return b
}

// Send creates and sends a StreamFrame based on the passed parameters. An error
// is returned if the run routine hasn't run or encountered an error.
func (s *StreamFramer) Send(file, fileEvent string, data []byte, offset int64) error {
	s.l.Lock()
	defer s.l.Unlock()

	// If we are not running, return the error that caused us to not run or
	// indicated that it was never started.
	if !s.running {
		if s.err != nil {
			return s.err
		}
		return fmt.Errorf("StreamFramer not running")
	}

	// Store the new data as the current frame.
	if s.f == nil {
		s.f = &StreamFrame{
			Offset:    offset,
			File:      file,
			FileEvent: fileEvent,
		}
	}

	// Write the data to the buffer
	s.data.Write(data)

	// Flush till we are under the max frame size
	for s.data.Len() >= s.frameSize {
		// Create a new frame to send it
		f := &StreamFrame{
			Offset:    s.f.Offset,
			File:      s.f.File,
			FileEvent: s.f.FileEvent,
			Data:      s.readData(),
		}
		select {
		case <-s.exitCh:
			return nil
		default:
		}
		if err := s.send(f); err != nil {
			return err
		}
	}

	if s.data.Len() == 0 {
		s.f = nil
	}
	return nil
}

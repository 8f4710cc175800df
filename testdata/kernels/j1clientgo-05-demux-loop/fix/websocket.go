// Package remotecommand runs a command over a multiplexed connection.
package remotecommand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
)

const (
	streamStdIn byte = iota
	streamStdOut
	streamStdErr
	streamErr
)

// Conn transports whole messages; the first byte is the stream.
type Conn interface {
	NextMessage() ([]byte, error)
	WriteMessage([]byte) error
	Close() error
}

// Executor runs a command on a connection that it gets from Dial.
type Executor struct {
	Dial func(context.Context) (Conn, error)
}

// StreamWithContext opens a connection, and starts the various goroutines to
// implement the necessary streams over it. Returns an error if one occurred.
func (e *Executor) StreamWithContext(ctx context.Context, options StreamOptions) error {
	conn, err := e.Dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()

	streamer := &streamProtocol{StreamOptions: options}
	errorChan := make(chan error, 1)
	go func() {
		readyChan := make(chan struct{})
		creator := newWSStreamCreator(conn)
		go func() {
			select {
			// Wait until all streams have been created before starting the readDemuxLoop.
			// This is to avoid a race condition where the readDemuxLoop receives a message
			// for a stream that has not yet been created.
			case <-readyChan:
			case <-ctx.Done():
				creator.closeAllStreamReaders(ctx.Err())
				return
			}
			creator.readDemuxLoop()
		}()
		errorChan <- streamer.stream(creator, readyChan)
	}()

	select {
	case err := <-errorChan:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

type wsStreamCreator struct {
	conn Conn
	// Protects writing to the connection; reading is lock-free
	connWriteLock sync.Mutex
	// map of stream id to stream; multiple streams read/write the connection
	streams   map[byte]*stream
	streamsMu sync.Mutex
	// setStreamErr holds the error to return to anyone calling setStream.
	// this is populated in closeAllStreamReaders
	setStreamErr error
}

func newWSStreamCreator(conn Conn) *wsStreamCreator {
	return &wsStreamCreator{conn: conn, streams: map[byte]*stream{}}
}

func (c *wsStreamCreator) getStream(id byte) *stream {
	c.streamsMu.Lock()
	defer c.streamsMu.Unlock()
	return c.streams[id]
}

func (c *wsStreamCreator) setStream(id byte, s *stream) error {
	c.streamsMu.Lock()
	defer c.streamsMu.Unlock()
	if c.setStreamErr != nil {
		return c.setStreamErr
	}
	if c.streams[id] != nil {
		return fmt.Errorf("duplicate stream %d", id)
	}
	c.streams[id] = s
	return nil
}

// CreateStream creates a stream over "c.conn" connection.
func (c *wsStreamCreator) CreateStream(id byte) (*stream, error) {
	reader, writer := io.Pipe()
	s := &stream{creator: c, id: id, readPipe: reader, writePipe: writer}
	if err := c.setStream(id, s); err != nil {
		return nil, err
	}
	return s, nil
}

// readDemuxLoop is the lock-free reading processor for this endpoint of the
// connection. This loop reads the connection, and demultiplexes the data
// into one of the individual stream pipes (by checking the stream id).
func (c *wsStreamCreator) readDemuxLoop() {
	for {
		msg, err := c.conn.NextMessage()
		if err != nil {
			if err != io.EOF {
				err = fmt.Errorf("next reader: %w", err)
			}
			c.closeAllStreamReaders(err)
			return
		}
		if len(msg) == 0 {
			c.closeAllStreamReaders(errors.New("message without stream id"))
			return
		}
		s := c.getStream(msg[0])
		if s == nil {
			log.Printf("Unknown stream id %d, discarding message", msg[0])
			continue
		}
		// Write the data to the stream's pipe. This can block. An error
		// means that the stream user closed the pipe: discard the message.
		s.writePipe.Write(msg[1:])
	}
}

// closeAllStreamReaders closes readers in all streams.
// This unblocks all stream.Read() calls, and keeps any future streams from being created.
func (c *wsStreamCreator) closeAllStreamReaders(err error) {
	c.streamsMu.Lock()
	defer c.streamsMu.Unlock()
	for _, s := range c.streams {
		s.writePipe.CloseWithError(err)
	}
	c.setStreamErr = err
}

type stream struct {
	creator   *wsStreamCreator
	id        byte
	readPipe  *io.PipeReader
	writePipe *io.PipeWriter
}

func (s *stream) Read(p []byte) (n int, err error) { return s.readPipe.Read(p) }

// Write writes directly to the underlying connection.
func (s *stream) Write(p []byte) (n int, err error) {
	s.creator.connWriteLock.Lock()
	defer s.creator.connWriteLock.Unlock()
	if err := s.creator.conn.WriteMessage(append([]byte{s.id}, p...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Package fix splits one connection into numbered channels.
package fix

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

const (
	chIn byte = iota
	chOut
	chErr
	chResize
)

var names = map[string]byte{"stdin": chIn, "stdout": chOut, "stderr": chErr, "resize": chResize}

// Conn transports whole frames. There is one reader.
type Conn interface {
	ReadFrame() ([]byte, error)
	WriteFrame(p []byte) error
	Close() error
}

// Channel is one direction of the traffic.
type Channel struct {
	id byte
	pr *io.PipeReader
	pw *io.PipeWriter

	writeMu *sync.Mutex
	conn    Conn
}

// ID returns the number of the channel.
func (c *Channel) ID() byte { return c.id }

// Read returns data that the other end has sent.
func (c *Channel) Read(p []byte) (int, error) { return c.pr.Read(p) }

// Write sends data to the other end.
func (c *Channel) Write(p []byte) (int, error) {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	if c.conn == nil {
		return 0, fmt.Errorf("write on closed channel %d", c.id)
	}
	if err := c.conn.WriteFrame(append([]byte{c.id}, p...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close tells the other end that nothing more will come.
func (c *Channel) Close() error {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	if c.conn == nil {
		return fmt.Errorf("channel %d is closed already", c.id)
	}
	err := c.conn.WriteFrame([]byte{255, c.id})
	c.conn = nil
	return err
}

// mux has the channels of a connection.
type mux struct {
	conn    Conn
	writeMu sync.Mutex

	mu       sync.Mutex
	channels map[byte]*Channel
	ended    error
}

// newMux returns a mux; serve must be called once.
func newMux(conn Conn) *mux {
	return &mux{conn: conn, channels: make(map[byte]*Channel)}
}

func (m *mux) channel(id byte) *Channel {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.channels[id]
}

func (m *mux) setChannel(id byte, c *Channel) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended != nil {
		return m.ended
	}
	m.channels[id] = c
	return nil
}

// open makes a channel of the given kind.
func (m *mux) open(kind string) (*Channel, error) {
	id, ok := names[kind]
	if !ok {
		return nil, fmt.Errorf("unknown kind %q", kind)
	}
	if m.channel(id) != nil {
		return nil, fmt.Errorf("duplicate channel for %q", kind)
	}
	pr, pw := io.Pipe()
	c := &Channel{id: id, pr: pr, pw: pw, writeMu: &m.writeMu, conn: m.conn}
	if err := m.setChannel(id, c); err != nil {
		pw.Close()
		pr.Close()
		return nil, err
	}
	return c, nil
}

// serve reads the connection until it fails.
func (m *mux) serve() {
	for {
		f, err := m.conn.ReadFrame()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			} else {
				err = fmt.Errorf("next frame: %w", err)
			}
			m.closeReaders(err)
			return
		}
		if len(f) == 0 {
			m.closeReaders(errors.New("empty frame"))
			return
		}
		c := m.channel(f[0])
		if c == nil {
			continue
		}
		if _, err := c.pw.Write(f[1:]); err != nil {
			continue
		}
	}
}

func (m *mux) closeReaders(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.channels {
		c.pw.CloseWithError(err)
	}
	m.ended = err
	if m.ended == nil {
		m.ended = errors.New("all channels are closed")
	}
}

// Exec opens the channels of a command and copies its output.
func Exec(conn Conn, stdin io.Reader, stdout, stderr io.Writer) error {
	defer conn.Close()
	m := newMux(conn)
	go m.serve()

	in, err := m.open("stdin")
	if err != nil {
		return err
	}
	go func() {
		io.Copy(in, stdin)
		in.Close()
	}()

	var wg sync.WaitGroup
	errs := make(chan error, 2)
	for kind, w := range map[string]io.Writer{"stdout": stdout, "stderr": stderr} {
		c, err := m.open(kind)
		if err != nil {
			return err
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			_, err := io.Copy(w, c)
			errs <- err
		}()
	}
	wg.Wait()
	return errors.Join(<-errs, <-errs)
}

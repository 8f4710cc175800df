// Package tether speaks a line protocol with a remote instrument.
package tether

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// ErrClosed is returned by the methods of a closed link.
var ErrClosed = errors.New("link is closed")

// Operator receives what the instrument sends. The calls are made one at a
// time, and Closed is the last one: the operator releases its state there. An
// operator must not call the methods of the Link from within a call.
type Operator interface {
	Hello(id, model string)
	Sample(id, channel string, value float64)
	Progress(id string, percent int)
	Closed(id string, err error)
}

type message struct {
	kind string
	args []string
}

type answer struct {
	text string
	err  error
}

// Link is a connection to one instrument.
type Link struct {
	id   string
	op   Operator
	conn io.ReadWriteCloser
	in   *bufio.Reader

	outMu sync.Mutex // order of the lines written

	waitMu  sync.Mutex // protects waiting and nextID
	waiting map[int]chan answer
	nextID  int

	inbox           chan message
	dispatchStopped chan struct{}
	closed          chan struct{}
	closeOnce       sync.Once
}

// NewLink starts the exchange on conn.
func NewLink(id string, conn io.ReadWriteCloser, op Operator) *Link {
	l := &Link{
		id:              id,
		op:              op,
		conn:            conn,
		in:              bufio.NewReader(conn),
		waiting:         make(map[int]chan answer),
		inbox:           make(chan message),
		dispatchStopped: make(chan struct{}),
		closed:          make(chan struct{}),
	}
	go l.readLoop()
	go func() {
		err := l.dispatchLoop()
		l.shut(err)
	}()
	return l
}

// Ask sends a question and waits for the answer.
func (l *Link) Ask(question string) (string, error) {
	c := make(chan answer, 1)
	l.waitMu.Lock()
	if l.waiting == nil {
		l.waitMu.Unlock()
		return "", ErrClosed
	}
	l.nextID++
	id := l.nextID
	l.waiting[id] = c
	l.waitMu.Unlock()

	if err := l.write(fmt.Sprintf("ask %d %s\n", id, question)); err != nil {
		l.shut(err)
	}
	a := <-c
	return a.text, a.err
}

func (l *Link) write(line string) error {
	l.outMu.Lock()
	defer l.outMu.Unlock()
	_, err := io.WriteString(l.conn, line)
	return err
}

// readMessage blocks until a whole line has arrived.
func (l *Link) readMessage() (message, error) {
	line, err := l.in.ReadString('\n')
	if err != nil {
		return message{}, err
	}
	f := strings.Fields(line)
	if len(f) == 0 {
		return message{kind: "ping"}, nil
	}
	return message{kind: f[0], args: f[1:]}, nil
}

func (l *Link) readLoop() {
	for {
		m, err := l.readMessage()
		if err != nil {
			l.shut(err)
			return
		}
		select {
		case l.inbox <- m:
		case <-l.closed:
			return
		}
	}
}

// dispatchLoop makes all calls of the operator but the last one.
func (l *Link) dispatchLoop() error {
	defer close(l.dispatchStopped)
	greeted := false
	for {
		var m message
		select {
		case m = <-l.inbox:
		case <-l.closed:
			return ErrClosed
		}

		switch {
		case m.kind == "hello" && len(m.args) == 1:
			if greeted {
				return fmt.Errorf("second hello")
			}
			greeted = true
			l.op.Hello(l.id, m.args[0])

		case !greeted:
			return fmt.Errorf("%s before hello", m.kind)

		case m.kind == "sample" && len(m.args) == 2:
			v, err := strconv.ParseFloat(m.args[1], 64)
			if err != nil {
				return fmt.Errorf("sample: %w", err)
			}
			l.op.Sample(l.id, m.args[0], v)

		case m.kind == "progress" && len(m.args) == 1:
			n, err := strconv.Atoi(m.args[0])
			if err != nil {
				return fmt.Errorf("progress: %w", err)
			}
			l.op.Progress(l.id, n)

		case m.kind == "answer" && len(m.args) >= 1:
			n, err := strconv.Atoi(m.args[0])
			if err != nil {
				return fmt.Errorf("answer: %w", err)
			}
			l.handleAnswer(n, strings.Join(m.args[1:], " "))

		case m.kind == "bye":
			return io.EOF

		case m.kind == "ping":

		default:
			return fmt.Errorf("unexpected %s", m.kind)
		}
	}
}

func (l *Link) handleAnswer(id int, text string) {
	l.waitMu.Lock()
	defer l.waitMu.Unlock()
	if c, ok := l.waiting[id]; ok {
		delete(l.waiting, id)
		c <- answer{text: text}
	}
}

// Close ends the link. It returns once the operator has been told.
func (l *Link) Close() {
	l.shut(ErrClosed)
}

func (l *Link) shut(err error) {
	l.closeOnce.Do(func() {
		close(l.closed)
		l.conn.Close()

		l.waitMu.Lock()
		for _, c := range l.waiting {
			c <- answer{err: ErrClosed}
		}
		l.waiting = nil
		l.waitMu.Unlock()

		<-l.dispatchStopped
		l.op.Closed(l.id, err)
	})
}

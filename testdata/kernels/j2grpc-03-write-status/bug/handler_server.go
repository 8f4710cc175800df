package transport

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
)

// ErrConnClosing indicates that the transport is closing.
var ErrConnClosing = errors.New("transport is closing")

// Status is the result of an RPC.
type Status struct {
	Code    int
	Message string
}

// serverHandlerTransport is a server transport that lives in an http.Handler,
// for one stream.
type serverHandlerTransport struct {
	rw               http.ResponseWriter
	req              *http.Request
	didCommonHeaders bool // used in the ServeHTTP goroutine only

	closeOnce sync.Once
	closedCh  chan struct{} // closed on Close

	// writes is a channel of code to run serialized in the ServeHTTP
	// (HandleStreams) goroutine.
	writes chan func()

	mu sync.Mutex
	// streamDone indicates whether WriteStatus has been called.
	streamDone bool
	finished   func(Status)
}

func newServerHandlerTransport(w http.ResponseWriter, r *http.Request, finished func(Status)) *serverHandlerTransport {
	return &serverHandlerTransport{
		rw:       w,
		req:      r,
		closedCh: make(chan struct{}),
		writes:   make(chan func()),
		finished: finished,
	}
}

// Close makes HandleStreams return.
func (ht *serverHandlerTransport) Close() error {
	ht.closeOnce.Do(func() { close(ht.closedCh) })
	return nil
}

// do runs fn in the ServeHTTP goroutine.
func (ht *serverHandlerTransport) do(fn func()) error {
	select {
	case <-ht.closedCh:
		return ErrConnClosing
	default:
	}
	select {
	case ht.writes <- fn:
		return nil
	case <-ht.closedCh:
		return ErrConnClosing
	}
}

// WriteStatus sends the status and the trailer, and ends the stream. It does
// nothing when the status has been sent.
func (ht *serverHandlerTransport) WriteStatus(s *Stream, st Status) error {
	ht.mu.Lock()
	if ht.streamDone {
		ht.mu.Unlock()
		return nil
	}
	ht.mu.Unlock()
	err := ht.do(func() {
		ht.writeCommonHeaders()

		// And flush, in case no header or body has been sent yet. This forces
		// a separation of headers and trailers if this is the first call.
		ht.rw.(http.Flusher).Flush()

		h := ht.rw.Header()
		h.Set("Grpc-Status", strconv.Itoa(st.Code))
		if st.Message != "" {
			h.Set("Grpc-Message", st.Message)
		}
		for k, v := range s.Trailer() {
			h.Add(http.TrailerPrefix+k, v)
		}
		ht.finished(st)
	})
	ht.mu.Lock()
	ht.streamDone = true
	ht.mu.Unlock()
	if err == nil {
		ht.Close()
	}
	return err
}

// writeCommonHeaders sets common headers on the first write.
func (ht *serverHandlerTransport) writeCommonHeaders() {
	if ht.didCommonHeaders {
		return
	}
	ht.didCommonHeaders = true
	h := ht.rw.Header()
	h.Set("Content-Type", "application/grpc")
	h.Add("Trailer", "Grpc-Status")
	h.Add("Trailer", "Grpc-Message")
}

// Write sends a message.
func (ht *serverHandlerTransport) Write(data []byte) error {
	return ht.do(func() {
		ht.writeCommonHeaders()
		ht.rw.Write(data)
		ht.rw.(http.Flusher).Flush()
	})
}

// HandleStreams calls startStream in a new goroutine and serves the writes until
// the status is sent.
func (ht *serverHandlerTransport) HandleStreams(startStream func(*Stream)) {
	go startStream(&Stream{ht: ht})
	for {
		select {
		case fn := <-ht.writes:
			fn()
		case <-ht.closedCh:
			return
		case <-ht.req.Context().Done():
			ht.Close()
			return
		}
	}
}

// Package fix answers a single call through an http.ResponseWriter.
package fix

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
)

// ErrConnClosing is returned when the call has ended.
var ErrConnClosing = errors.New("transport: the connection is closing")

// Status is the result of a call.
type Status struct {
	Code    int
	Message string
}

// handlerTransport runs all code that uses the ResponseWriter in the goroutine
// of ServeHTTP. Its methods may be called from any goroutine.
type handlerTransport struct {
	rw  http.ResponseWriter
	req *http.Request

	didCommonHeaders bool // used by functions in writes only

	closeOnce sync.Once
	closedCh  chan struct{} // closed on Close

	// writes is a channel of code to run in the goroutine of ServeHTTP. It is
	// never closed.
	writes chan func()

	// writeStatusMu blocks concurrent calls of WriteStatus, e.g. by the
	// handler and by a timeout.
	writeStatusMu sync.Mutex
	didStatus     bool // guarded by writeStatusMu
}

func newHandlerTransport(rw http.ResponseWriter, req *http.Request) *handlerTransport {
	return &handlerTransport{
		rw:       rw,
		req:      req,
		closedCh: make(chan struct{}),
		writes:   make(chan func()),
	}
}

// Close ends the call.
func (ht *handlerTransport) Close() {
	ht.closeOnce.Do(func() { close(ht.closedCh) })
}

// do runs fn in the goroutine of ServeHTTP.
func (ht *handlerTransport) do(fn func()) error {
	select {
	case <-ht.closedCh:
		return ErrConnClosing
	case ht.writes <- fn:
		return nil
	}
}

// writeCommonHeaders is called before the first write.
func (ht *handlerTransport) writeCommonHeaders() {
	if ht.didCommonHeaders {
		return
	}
	ht.didCommonHeaders = true
	h := ht.rw.Header()
	h.Set("Content-Type", "application/rpc")
	h.Add("Trailer", "Rpc-Status")
	h.Add("Trailer", "Rpc-Message")
}

func (ht *handlerTransport) flush() {
	if f, ok := ht.rw.(http.Flusher); ok {
		f.Flush()
	}
}

// WriteHeader sends the header.
func (ht *handlerTransport) WriteHeader(md map[string]string) error {
	return ht.do(func() {
		ht.writeCommonHeaders()
		for k, v := range md {
			ht.rw.Header().Add(k, v)
		}
		ht.rw.WriteHeader(http.StatusOK)
		ht.flush()
	})
}

// Write sends a message. It may be called by several goroutines.
func (ht *handlerTransport) Write(hdr, data []byte) error {
	return ht.do(func() {
		ht.writeCommonHeaders()
		ht.rw.Write(hdr)
		ht.rw.Write(data)
		ht.flush()
	})
}

// WriteStatus sends the status and ends the call. Only the first call has an
// effect.
func (ht *handlerTransport) WriteStatus(st Status) error {
	ht.writeStatusMu.Lock()
	defer ht.writeStatusMu.Unlock()
	if ht.didStatus {
		return ErrConnClosing
	}
	ht.didStatus = true

	err := ht.do(func() {
		ht.writeCommonHeaders()
		ht.flush()
		h := ht.rw.Header()
		h.Set("Rpc-Status", strconv.Itoa(st.Code))
		if st.Message != "" {
			h.Set("Rpc-Message", st.Message)
		}
	})
	ht.Close()
	return err
}

// HandleStream runs the handler of the call.
func (ht *handlerTransport) HandleStream(handle func(*handlerTransport) Status) {
	go func() {
		select {
		case <-ht.req.Context().Done():
			ht.Close()
		case <-ht.closedCh:
		}
	}()
	go func() { ht.WriteStatus(handle(ht)) }()
	ht.runStream()
}

func (ht *handlerTransport) runStream() {
	for {
		select {
		case fn := <-ht.writes:
			fn()
		case <-ht.closedCh:
			return
		}
	}
}

// Handler returns an http.Handler for calls.
func Handler(handle func(write func(hdr, data []byte) error) Status) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		ht := newHandlerTransport(rw, req)
		ht.HandleStream(func(ht *handlerTransport) Status { return handle(ht.Write) })
	})
}

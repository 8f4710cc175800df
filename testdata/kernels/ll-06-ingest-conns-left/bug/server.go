package graphite

import (
	"bufio"
	"errors"
	"io"
	"log"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var (
	writeRequestsTCP atomic.Int64
	writeErrorsTCP   atomic.Int64
	writeErrorsUDP   atomic.Int64
)

// Server accepts Graphite plaintext lines over TCP and UDP.
type Server struct {
	addr  string
	lnTCP net.Listener
	lnUDP net.PacketConn
	wg    sync.WaitGroup
}

// MustStart starts graphite server on the given addr.
//
// The incoming connections are processed with insertHandler.
//
// MustStop must be called on the returned server when it is no longer needed.
func MustStart(addr string, insertHandler func(r io.Reader) error) *Server {
	lnTCP, err := net.Listen("tcp", addr)
	if err != nil {
		log.Fatalf("cannot start TCP Graphite server at %q: %s", addr, err)
	}
	lnUDP, err := net.ListenPacket("udp", addr)
	if err != nil {
		log.Fatalf("cannot start UDP Graphite server at %q: %s", addr, err)
	}

	s := &Server{
		addr:  addr,
		lnTCP: lnTCP,
		lnUDP: lnUDP,
	}
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		s.serveTCP(insertHandler)
		log.Printf("stopped TCP Graphite server at %q", addr)
	}()
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		s.serveUDP(insertHandler)
		log.Printf("stopped UDP Graphite server at %q", addr)
	}()
	return s
}

// MustStop stops the server.
func (s *Server) MustStop() {
	if err := s.lnTCP.Close(); err != nil {
		log.Printf("cannot close TCP Graphite server: %s", err)
	}
	if err := s.lnUDP.Close(); err != nil {
		log.Printf("cannot close UDP Graphite server: %s", err)
	}
	s.wg.Wait()
	log.Printf("TCP and UDP Graphite servers at %q have been stopped", s.addr)
}

func (s *Server) serveTCP(insertHandler func(r io.Reader) error) {
	for {
		c, err := s.lnTCP.Accept()
		if err != nil {
			var ne net.Error
			if errors.As(err, &ne) && ne.Timeout() {
				log.Printf("graphite: temporary error when listening for TCP addr %q: %s", s.lnTCP.Addr(), err)
				time.Sleep(time.Second)
				continue
			}
			if strings.Contains(err.Error(), "use of closed network connection") {
				break
			}
			log.Fatalf("unrecoverable error when accepting TCP Graphite connections: %s", err)
		}
		go func() {
			defer func() {
				_ = c.Close()
			}()
			writeRequestsTCP.Add(1)
			if err := insertHandler(c); err != nil {
				writeErrorsTCP.Add(1)
				log.Printf("error in TCP Graphite conn %q<->%q: %s", c.LocalAddr(), c.RemoteAddr(), err)
			}
		}()
	}
}

func (s *Server) serveUDP(insertHandler func(r io.Reader) error) {
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			buf := make([]byte, 64*1024)
			for {
				n, _, err := s.lnUDP.ReadFrom(buf)
				if err != nil {
					if strings.Contains(err.Error(), "use of closed network connection") {
						break
					}
					writeErrorsUDP.Add(1)
					continue
				}
				if err := insertHandler(strings.NewReader(string(buf[:n]))); err != nil {
					writeErrorsUDP.Add(1)
				}
			}
		}()
	}
	wg.Wait()
}

// Storage keeps the rows and writes them to w in big blocks.
type Storage struct {
	mu     sync.Mutex
	w      io.WriteCloser
	rows   []string
	stopCh chan struct{}
	wg     sync.WaitGroup
}

func MustOpenStorage(w io.WriteCloser) *Storage {
	s := &Storage{w: w, stopCh: make(chan struct{})}
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-s.stopCh:
				return
			case <-t.C:
				s.flush()
			}
		}
	}()
	return s
}

func (s *Storage) AddRows(rows []string) {
	s.mu.Lock()
	s.rows = append(s.rows, rows...)
	s.mu.Unlock()
}

func (s *Storage) flush() {
	s.mu.Lock()
	rows := s.rows
	s.rows = nil
	if len(rows) > 0 {
		if _, err := io.WriteString(s.w, strings.Join(rows, "\n")+"\n"); err != nil {
			log.Fatalf("cannot write rows: %s", err)
		}
	}
	s.mu.Unlock()
}

// MustClose writes the remaining rows. There must be no users of the storage anymore.
func (s *Storage) MustClose() {
	close(s.stopCh)
	s.wg.Wait()
	s.flush()
	if err := s.w.Close(); err != nil {
		log.Fatalf("cannot close storage: %s", err)
	}
}

// App is the server with its storage.
type App struct {
	storage  *Storage
	graphite *Server
}

func Start(addr string, w io.WriteCloser) *App {
	app := &App{storage: MustOpenStorage(w)}
	app.graphite = MustStart(addr, app.insertHandler)
	return app
}

func (app *App) insertHandler(r io.Reader) error {
	var rows []string
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		rows = append(rows, sc.Text())
		if len(rows) >= 1000 {
			app.storage.AddRows(rows)
			rows = rows[:0]
		}
	}
	app.storage.AddRows(rows)
	return sc.Err()
}

func (app *App) Stop() {
	app.graphite.MustStop()
	app.storage.MustClose()
}

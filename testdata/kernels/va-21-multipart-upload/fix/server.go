package multipart

import (
	"bytes"
	"fmt"
	"sync"
)

type upload struct {
	sync.Mutex
	parts map[int][]byte
	size  int
}

func (u *upload) finish() (parts map[int][]byte, size int) {
	u.Lock()
	defer u.Unlock()
	parts, size = u.parts, u.size
	u.parts, u.size = nil, 0
	return
}

type Server struct {
	uploads sync.Map
	sink    func(id string, body []byte) error
}

func NewServer(sink func(string, []byte) error) *Server { return &Server{sink: sink} }

func (s *Server) Begin(id string) bool {
	_, dup := s.uploads.LoadOrStore(id, &upload{parts: make(map[int][]byte)})
	return !dup
}

func (s *Server) open(id string) (*upload, error) {
	v, ok := s.uploads.Load(id)
	u, isUpload := v.(*upload)
	if !ok || !isUpload {
		return nil, fmt.Errorf("multipart: no upload %q", id)
	}
	return u, nil
}

func (s *Server) AddPart(id string, n int, body []byte) error {
	u, err := s.open(id)
	if err != nil {
		return err
	}
	own := bytes.Clone(body)
	u.Lock()
	defer u.Unlock()
	if u.parts == nil {
		return fmt.Errorf("multipart: upload %q is over", id)
	}
	u.size += len(own) - len(u.parts[n])
	u.parts[n] = own
	return nil
}

func (s *Server) Finish(id string) error {
	v, ok := s.uploads.LoadAndDelete(id)
	if !ok {
		return fmt.Errorf("multipart: no upload %q", id)
	}
	parts, size := v.(*upload).finish()
	body := make([]byte, 0, size)
	for n := 1; n <= len(parts); n++ {
		body = append(body, parts[n]...)
	}
	return s.sink(id, body)
}

func (s *Server) Abort(id string) {
	if v, ok := s.uploads.LoadAndDelete(id); ok {
		v.(*upload).finish()
	}
}

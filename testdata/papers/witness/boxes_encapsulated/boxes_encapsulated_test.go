package boxes_encapsulated

import (
	"testing"
)

func TestGrowsByAll(t *testing.T) {
	s := NewShape(0, 0, 0, 0)
	done := make(chan struct{})
	for range 8 {
		go func() {
			s.Grow(2)
			done <- struct{}{}
		}()
	}
	for range 8 {
		<-done
	}
	if x, y := s.Center(); x != 8 || y != 8 {
		t.Errorf("center %d, %d, want 8, 8", x, y)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}

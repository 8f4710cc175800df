package addall

import (
	"slices"
	"sync/atomic"
	"testing"
)

// meanwhile has f run to its end in another goroutine at the first pause.
func meanwhile(t *testing.T, f func()) {
	var reached atomic.Bool
	pause = func() {
		if !reached.CompareAndSwap(false, true) {
			return
		}
		done := make(chan struct{})
		go func() { defer close(done); f() }()
		<-done
	}
	t.Cleanup(func() { pause = func() {} })
}

func TestAddsWhatIsNotThere(t *testing.T) {
	l := &List{array: []string{"a"}}
	b := &Bag{items: []string{"b", "c"}}
	meanwhile(t, b.Clear)
	l.AddAll(b)
	if got, want := l.Items(), []string{"a", "", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, want the damaged %q", got, want)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}

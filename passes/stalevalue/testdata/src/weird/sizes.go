package weird

import "sync"

// Many locks, many fields, deep nests.
type wide struct {
	m0, m1, m2, m3, m4, m5, m6, m7 sync.Mutex

	a0, a1, a2, a3, a4, a5, a6, a7 int
	b0, b1, b2, b3, b4, b5, b6, b7 int
}

func (w *wide) all() {
	w.m0.Lock()
	w.m1.Lock()
	w.m2.Lock()
	w.m3.Lock()
	w.m4.Lock()
	w.m5.Lock()
	w.m6.Lock()
	w.m7.Lock()
	w.a0, w.a1, w.a2, w.a3, w.a4, w.a5, w.a6, w.a7 = w.b0, w.b1, w.b2, w.b3, w.b4, w.b5, w.b6, w.b7
	w.m0.Unlock()
	w.m2.Unlock()
	w.m4.Unlock()
	w.m6.Unlock()
	w.b0, w.b1, w.b2, w.b3, w.b4, w.b5, w.b6, w.b7 = w.a1, w.a2, w.a3, w.a4, w.a5, w.a6, w.a7, w.a0
	w.m1.Unlock()
	w.m3.Unlock()
	w.m5.Unlock()
	w.m7.Unlock()
}

func (w *wide) nest(n int) (out int) {
	for i := 0; i < n; i++ {
		if i%2 == 0 {
			for j := i; j < n; j++ {
				if j%3 == 0 {
					for k := j; k < n; k++ {
						switch k % 5 {
						case 0:
							w.m0.Lock()
							out += w.a0
							if out > 100 {
								w.m0.Unlock()
								return
							}
							w.m0.Unlock()
						case 1:
							w.m1.Lock()
							defer w.m1.Unlock()
						case 2:
							w.m2.Lock()
							w.a2 = out
							w.m2.Unlock()
							continue
						case 3:
							break
						default:
							panic(out)
						}
					}
				}
			}
		}
	}
	return out
}

var _ = []func(*wide){(*wide).all, func(w *wide) { w.nest(1) }}

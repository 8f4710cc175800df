package sensor

import (
	"testing"
)

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}

package logstale

import (
	"testing"
)

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}

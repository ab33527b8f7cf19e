document.getElementById("year").textContent = String(new Date().getFullYear());
